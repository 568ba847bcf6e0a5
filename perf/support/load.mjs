/** Closed-loop load: a number of requests over keep-alive connections. */
import { Pool } from 'undici';

/**
 * @returns a function that sends `count` copies of `message` and checks every answer's status
 */
export function load(port, path, message, { connections = 16 } = {}) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
  const headers = { 'content-type': 'text/xml; charset=utf-8', soapaction: '"urn:order"' };
  const once = async () => {
    const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: message });
    const bytes = Buffer.from(await body.arrayBuffer());
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${bytes}`);
    return bytes;
  };
  return {
    once,
    async run(count) {
      let left = count;
      await Promise.all(
        Array.from({ length: connections }, async () => {
          while (left-- > 0) await once();
        }),
      );
    },
    close: () => pool.close(),
  };
}
