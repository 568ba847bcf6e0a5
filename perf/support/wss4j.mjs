/** WSS4J for scenario 3: one JVM a side with a fixed heap, well warmed up, driven in turn with ours. */
import { prepare, Wss4j } from '../../interop/peers/wss4j.mjs';

const warmUp = 2000;

/** @returns { send(message), receive(message), close() } or undefined, said in one line, where Java or Maven is missing */
export async function wss4j(lab, { classic }) {
  const missing = prepare();
  if (missing !== undefined) {
    console.log(`WSS4J is left out: ${missing}`);
    return undefined;
  }
  const keys = (own, partner) => ({
    own: lab.key(`${own}.p12`),
    partner: lab.key(`${partner}.pem`),
    ca: lab.key('ca.pem'),
    password: lab.password,
    heap: '1g',
  });
  const client = new Wss4j(keys('client', 'server'));
  const server = new Wss4j(keys('server', 'client'));
  const algorithms = classic
    ? ['cipher=3des-cbc', 'transport=rsa-1_5']
    : ['cipher=aes128-gcm', 'transport=rsa-oaep', 'oaep-digest=sha256', 'oaep-mgf=mgf1-sha256'];
  const accept = classic ? ['rsa15=1'] : [];
  const produced = async (message) => {
    const out = await client.call('produce', message, algorithms);
    if (!out.ok) throw new Error(`WSS4J: ${out.body}`);
    return out.body;
  };
  const warm = async (peer, command, message, options) => {
    const times = message.length > 200_000 ? 60 : message.length > 50_000 ? 400 : warmUp;
    await peer.call(command, message, [...options, `repeat=${times}`]);
  };
  const timed = (peer, command, message, options) => async (n) => {
    const out = await peer.call(command, message, [...options, `repeat=${n}`]);
    if (!out.ok) throw new Error(`WSS4J: ${out.body}`);
    return out.cpuMicros;
  };

  return {
    async send(message) {
      await warm(client, 'produce', message, algorithms);
      return timed(client, 'produce', message, algorithms);
    },
    async receive(message) {
      const secured = await produced(message);
      await warm(server, 'consume', secured, accept);
      return timed(server, 'consume', secured, accept);
    },
    close() {
      client.close();
      server.close();
    },
  };
}
