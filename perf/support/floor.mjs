/**
 * The bare cryptography of one scenario-3 message: the digests, one RSA signature or verification, one key transport, one cipher
 * call, on prepared keys and bytes. `send` and `receive` use the same kinds of calls as the product (thread pool for private
 * keys); the `Sync` forms show what the event loop's round trip costs.
 */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  sign,
  verify,
  webcrypto,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const signAsync = promisify(sign);
const signedInfo = randomBytes(900);
const timestamp = randomBytes(330);

/** @param chains as `makeChains` gives; @returns { send, receive, sendSync, receiveSync } */
export async function floor(chains, message) {
  const content = message.subarray(message.indexOf('<soap:Body>') + 11, message.indexOf('</soap:Body>'));
  const keys = await loadKeys(chains);
  const work = chains.classic ? classic(keys, content) : modern(keys, content);
  const repeat = (once) => async (n) => {
    for (let i = 0; i < n; i++) await once();
  };
  return Object.fromEntries(Object.entries(work).map(([name, once]) => [name, repeat(once)]));
}

async function loadKeys({ lab }) {
  const pem = (name) => readFileSync(lab.key(name), 'utf8');
  const unwrapping = createPrivateKey(pem('server.key'));
  return {
    signing: createPrivateKey(pem('client.key')),
    verifying: createPublicKey(pem('client.pem')),
    wrapping: createPublicKey(pem('server.pem')),
    unwrapping,
    subtle: await webcrypto.subtle.importKey(
      'pkcs8',
      unwrapping.export({ type: 'pkcs8', format: 'der' }),
      { name: 'RSA-OAEP', hash: 'SHA-256' },
      false,
      ['decrypt'],
    ),
  };
}

function digests(content) {
  createHash('sha256').update(content).digest();
  createHash('sha256').update(timestamp).digest();
}

/** What a sender does, with its signature on the thread pool or here. */
const sending = (keys, content, encrypt) => ({
  async send() {
    digests(content);
    await signAsync('sha256', signedInfo, keys.signing);
    encrypt();
  },
  sendSync() {
    digests(content);
    sign('sha256', signedInfo, keys.signing);
    encrypt();
  },
});

function modern(keys, content) {
  const oaep = (key) => ({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' });
  const encrypt = () => {
    const key = randomBytes(16);
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-128-gcm', key, iv, { authTagLength: 16 });
    const body = [cipher.update(content), cipher.final()];
    return { iv, body: body[0], tag: cipher.getAuthTag(), wrapped: publicEncrypt(oaep(keys.wrapping), key) };
  };
  const sent = encrypt();
  const value = sign('sha256', signedInfo, keys.signing);
  const open = (key) => {
    const decipher = createDecipheriv('aes-128-gcm', key, sent.iv, { authTagLength: 16 });
    decipher.setAuthTag(sent.tag);
    decipher.update(sent.body);
    decipher.final();
  };
  const check = () => {
    if (!verify('sha256', signedInfo, keys.verifying, value)) throw new Error('the floor is wrong');
    digests(content);
  };
  return {
    ...sending(keys, content, encrypt),
    async receive() {
      open(Buffer.from(await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, keys.subtle, sent.wrapped)));
      check();
    },
    receiveSync() {
      open(privateDecrypt(oaep(keys.unwrapping), sent.wrapped));
      check();
    },
  };
}

/** 3DES and RSA-1.5. Node refuses RSA-1.5 decryption, so its floor is the raw RSA operation. */
function classic(keys, content) {
  const encrypt = () => {
    const key = randomBytes(24);
    const iv = randomBytes(8);
    const cipher = createCipheriv('des-ede3-cbc', key, iv);
    const body = Buffer.concat([cipher.update(content), cipher.final()]);
    return {
      key,
      iv,
      body,
      wrapped: publicEncrypt({ key: keys.wrapping, padding: constants.RSA_PKCS1_PADDING }, key),
    };
  };
  const sent = encrypt();
  const value = sign('sha256', signedInfo, keys.signing);
  const receive = () => {
    privateDecrypt({ key: keys.unwrapping, padding: constants.RSA_NO_PADDING }, sent.wrapped);
    const decipher = createDecipheriv('des-ede3-cbc', sent.key, sent.iv);
    decipher.update(sent.body);
    decipher.final();
    if (!verify('sha256', signedInfo, keys.verifying, value)) throw new Error('the floor is wrong');
    digests(content);
  };
  return {
    ...sending(keys, content, encrypt),
    receive,
    receiveSync: receive,
  };
}
