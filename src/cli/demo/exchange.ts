import { request } from 'node:http';

/** One answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly id: string | undefined;
  readonly body: Buffer;
}

/** Posts a SOAP 1.1 message. */
export function post(port: number, path: string, message: Uint8Array): Promise<Answer> {
  return new Promise((accept, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: {
          'Content-Type': 'text/xml; charset=utf-8',
          SOAPAction: '"urn:orders/order"',
          'Content-Length': message.length,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const id = response.headers['x-countersign-id'];
          accept({
            status: response.statusCode ?? 0,
            id: typeof id === 'string' ? id : undefined,
            body: Buffer.concat(chunks),
          });
        });
      },
    );
    call.on('error', reject);
    call.end(message);
  });
}

/** The fault code and text of an answer, or undefined when it is no fault. */
export function fault(answer: Answer): string | undefined {
  const text = answer.body.toString('utf8');
  const code = /<faultcode[^>]*>([^<]*)</.exec(text)?.[1];
  const reason = /<faultstring[^>]*>([^<]*)</.exec(text)?.[1];
  return code === undefined ? undefined : `${code}: ${reason ?? ''}`;
}
