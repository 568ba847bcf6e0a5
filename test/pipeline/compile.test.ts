import { describe, expect, it } from '@jest/globals';
import { bench, check, modules, protect, type ChainOptions, type StepText } from '../support/chain.js';

const b = await bench();

/** `CODE index at`, of every error. */
const errorsOf = (list: readonly StepText[], options?: ChainOptions): string[] =>
  b
    .compile(list, options)
    .errors.map(({ code, details }) => `${code} ${String(details['index'])} ${String(details['at'])}`);

const verify = { verify: { trust: 'clients', parts: ['timestamp', 'body'] } };
const decrypt = { decrypt: { key: 'server', parts: ['body/content'] } };
const sign = { sign: { key: 'client', parts: ['body'] } };

describe('the built-in steps', () => {
  it.each([...modules])('%s: its example passes its schema and a step is made of it', (name, module) => {
    expect(module.schema.parse(module.example)).toEqual(module.example);
    expect(module.name).toBe(name);
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(module.summary).toMatch(/\.$/);
  });

  it.each([...modules])('%s: its schema refuses an option that it does not know', (_, module) => {
    expect(module.schema.safeParse({ ...Object(module.example), nonsense: 1 }).success).toBe(false);
  });

  it.each(['sign', 'encrypt', 'decrypt', 'verify'])('%s: parts must be written', (name) => {
    const module = modules.get(name);
    const { parts, ...rest } = Object(module?.example) as { parts: unknown };
    expect(parts).toBeDefined();
    expect(module?.schema.safeParse(rest).success).toBe(false);
  });

  it('verify and decrypt may ask for nothing, sign and encrypt may not', () => {
    expect(errorsOf([{ verify: { trust: 'clients', parts: [] } }])).toEqual([]);
    expect(errorsOf([{ decrypt: { key: 'server', parts: [] } }])).toEqual([]);
    for (const name of ['sign', 'encrypt']) {
      const module = modules.get(name);
      expect(module?.schema.safeParse({ ...Object(module.example), parts: [] }).success).toBe(false);
    }
  });
});

describe('compileChain', () => {
  it('accepts the chains of scenario 3, and inbound steps followed by outbound ones', () => {
    expect(errorsOf(protect)).toEqual([]);
    expect(errorsOf(check)).toEqual([]);
    expect(errorsOf([...check, ...protect])).toEqual([]);
  });

  it('refuses outbound steps before inbound ones', () => {
    expect(errorsOf([...protect, verify])).toEqual(['POLICY_ORDER 3 ']);
  });

  it('refuses a name that nothing has, with its place', () => {
    expect(errorsOf(['rot13'])).toEqual(['CONFIG_UNKNOWN_NAME 0 ']);
    expect(errorsOf([{ sign: { key: 'nobody', parts: ['body'] } }])).toEqual(['CONFIG_UNKNOWN_NAME 0 key']);
    expect(errorsOf([{ verify: { trust: 'nobody', parts: [] } }])).toEqual(['CONFIG_UNKNOWN_NAME 0 trust']);
    expect(errorsOf([{ encrypt: { to: 'nobody', parts: ['body/content'] } }])).toEqual([
      'CONFIG_UNKNOWN_NAME 0 to',
    ]);
    expect(errorsOf([{ sign: { key: 'client', parts: ['body', 'header/nope:To'] } }])).toEqual([
      'POLICY_INVALID 0 parts.1',
    ]);
  });

  it('names every error of a chain, not only the first', () => {
    expect(
      errorsOf([{ sign: { key: 'nobody', parts: ['body'] } }, { encrypt: { to: 'x', parts: ['body'] } }]),
    ).toEqual(['CONFIG_UNKNOWN_NAME 0 key', 'CONFIG_UNKNOWN_NAME 1 to']);
  });

  it('refuses a signature before the part that it covers exists', () => {
    const early = [{ sign: { key: 'client', parts: ['timestamp', 'body'] } }, 'timestamp'];
    expect(errorsOf(early)).toEqual(['POLICY_ORDER 0 parts.0']);
    expect(errorsOf([{ sign: { key: 'client', parts: ['signature'] } }, sign])).toEqual([
      'POLICY_ORDER 0 parts.0',
    ]);
    expect(errorsOf([{ encrypt: { to: 'server', parts: ['signature'] } }, sign])).toEqual([
      'POLICY_ORDER 0 parts.0',
    ]);
    expect(errorsOf([sign, { encrypt: { to: 'server', parts: ['signature', 'body/content'] } }])).toEqual([]);
  });

  it("lets a client's own Timestamp be signed where its header is merged", () => {
    expect(errorsOf([{ sign: { key: 'client', parts: ['timestamp'] } }], { existing: 'merge' })).toEqual([]);
  });

  it('keeps #id and signature/NAME where they belong', () => {
    expect(errorsOf([{ verify: { trust: 'clients', parts: ['#a'] } }])).toEqual(['POLICY_PARTS 0 parts.0']);
    expect(errorsOf([{ sign: { key: 'client', parts: ['#a'] } }])).toEqual([]);
    expect(errorsOf([sign, { sign: { key: 'client', parts: ['signature/sign'] } }])).toEqual([
      'POLICY_PARTS 1 parts.0',
    ]);
    expect(errorsOf([{ verify: { trust: 'clients', parts: ['signature'] } }])).toEqual([
      'POLICY_PARTS 0 parts.0',
    ]);
    const counter = { verify: { trust: 'servers', parts: ['signature/inner'] } };
    expect(errorsOf([{ verify: { trust: 'clients', parts: ['body'], name: 'inner' } }, counter])).toEqual([]);
    expect(errorsOf([verify, counter])).toEqual(['POLICY_PARTS 1 parts.0']);
  });

  it('keeps /content for encrypt and decrypt, and the Body readable', () => {
    expect(errorsOf([{ sign: { key: 'client', parts: ['body/content'] } }])).toEqual([
      'POLICY_PARTS 0 parts.0',
    ]);
    expect(errorsOf([{ verify: { trust: 'clients', parts: ['body/content'] } }])).toEqual([
      'POLICY_PARTS 0 parts.0',
    ]);
    expect(errorsOf([{ encrypt: { to: 'server', parts: ['body'] } }])).toEqual(['POLICY_PARTS 0 parts.0']);
  });

  it('numbers repeated steps, uses their own names, and refuses one name for two', () => {
    const list = [
      verify,
      { verify: { trust: 'servers', parts: [], name: 'second' } },
      { verify: { trust: 'ec', parts: [] } },
    ];
    expect(b.chain(list).verifies).toEqual(['verify', 'second', 'verify#3']);
    const twice = { verify: { trust: 'servers', parts: [], name: 'x' } };
    expect(errorsOf([twice, twice])).toEqual(['POLICY_ORDER 1 name']);
    expect(errorsOf(['timestamp', 'timestamp'])).toEqual(['POLICY_ORDER 1 ']);
  });

  it('wants keys that can do the work', () => {
    expect(errorsOf([{ sign: { key: 'certificate-only', parts: ['body'] } }])).toEqual([
      'POLICY_INVALID 0 key',
    ]);
    expect(errorsOf([{ decrypt: { key: 'certificate-only', parts: [] } }])).toEqual(['POLICY_INVALID 0 key']);
    expect(errorsOf([{ encrypt: { to: 'ec', parts: ['body/content'] } }])).toEqual(['POLICY_INVALID 0 to']);
    expect(errorsOf([{ decrypt: { key: 'ec', parts: [] } }])).toEqual(['POLICY_INVALID 0 key']);
    expect(errorsOf([{ sign: { key: 'ec', parts: ['body'], algorithm: 'rsa-sha256' } }])).toEqual([
      'POLICY_INVALID 0 algorithm',
    ]);
  });

  it('judges algorithms when the chain is built', () => {
    const sha1 = { sign: { key: 'client', parts: ['body'], algorithm: 'rsa-sha1' } };
    expect(errorsOf([sha1])).toEqual(['ALGORITHM_DENIED 0 algorithm']);
    expect(errorsOf([{ sign: { key: 'client', parts: ['body'], digest: 'md5' } }])).toEqual([
      'CONFIG_UNKNOWN_NAME 0 digest',
    ]);
    const encrypt = (options: object): StepText => ({
      encrypt: { to: 'server', parts: ['body/content'], ...options },
    });
    expect(errorsOf([encrypt({ algorithm: 'aes128-cbc' })])).toEqual(['ALGORITHM_DENIED 0 algorithm']);
    expect(errorsOf([encrypt({ 'key-transport': 'rsa-1_5' })])).toEqual(['ALGORITHM_DENIED 0 key-transport']);
    expect(errorsOf([encrypt({ 'key-transport': 'rsa-oaep-mgf1p' })])).toEqual([]);
    expect(errorsOf([encrypt({ 'key-transport': 'rsa-oaep-mgf1p', mgf: 'sha1' })])).toEqual([
      'POLICY_INVALID 0 mgf',
    ]);
  });

  it('takes request-signer only where the request chain has that verify', () => {
    const toSigner = [{ encrypt: { to: 'request-signer', parts: ['body/content'] } }];
    expect(errorsOf(toSigner, { kind: 'response' })).toEqual([]);
    expect(errorsOf(toSigner, { kind: 'response', requestVerifies: [] })).toEqual(['POLICY_INVALID 0 to']);
    expect(errorsOf(toSigner, { kind: 'request' })).toEqual(['POLICY_INVALID 0 to']);
    const named = [{ encrypt: { to: 'request-signer/inner', parts: ['body/content'] } }];
    expect(errorsOf(named, { kind: 'response', requestVerifies: ['verify', 'inner'] })).toEqual([]);
    expect(errorsOf(named, { kind: 'response' })).toEqual(['CONFIG_UNKNOWN_NAME 0 to']);
  });

  it('check-timestamp: signed needs timestamp in a verify', () => {
    const body = { verify: { trust: 'clients', parts: ['body'] } };
    expect(errorsOf([body, 'check-timestamp'])).toEqual(['POLICY_PARTS 1 signed']);
    expect(errorsOf([body, { 'check-timestamp': { signed: false } }])).toEqual([]);
  });

  it('replay: auto needs a signed, required Timestamp; a written time is never too short', () => {
    const body = { verify: { trust: 'clients', parts: ['timestamp', 'body'] } };
    const keep = (text: string): StepText => ({ replay: { keep: text } });
    expect(errorsOf(['replay'])).toEqual(['POLICY_ORDER 0 ']);
    expect(errorsOf([body, 'replay'])).toEqual(['POLICY_INVALID 1 keep']);
    expect(errorsOf([body, { 'check-timestamp': { optional: true } }, 'replay'])).toEqual([
      'POLICY_INVALID 2 keep',
    ]);
    expect(errorsOf([body, { 'check-timestamp': { signed: false } }, 'replay'])).toEqual([
      'POLICY_INVALID 2 keep',
    ]);
    expect(errorsOf([body, keep('24h')])).toEqual([]);
    expect(errorsOf([body, 'check-timestamp', keep('419s')])).toEqual(['POLICY_INVALID 2 keep']);
    expect(errorsOf([body, 'check-timestamp', keep('420s')])).toEqual([]);
  });

  it('strip: keep is an error where outbound steps follow', () => {
    expect(errorsOf([verify, { strip: { keep: true } }])).toEqual([]);
    expect(errorsOf([verify, { strip: { keep: true } }, sign])).toEqual(['POLICY_ORDER 1 keep']);
  });

  it('observe is for chains of inbound steps only', () => {
    expect(errorsOf(check, { mode: 'observe' })).toEqual([]);
    expect(errorsOf([...check, sign], { mode: 'observe' })).toEqual(['POLICY_ORDER 4 ']);
  });

  it('require asks for something, in places that exist', () => {
    expect(errorsOf([{ require: {} }])).toEqual(['POLICY_INVALID 0 ']);
    expect(errorsOf([{ require: { body: 'o:order' } }])).toEqual([]);
    expect(errorsOf([{ require: { body: 'nope:order' } }])).toEqual(['POLICY_INVALID 0 body']);
    expect(errorsOf([{ require: { present: ['timestamp'] } }])).toEqual(['POLICY_PARTS 0 present.0']);
    expect(errorsOf([{ require: { present: ['header/wsa:To?'] } }])).toEqual(['POLICY_PARTS 0 present.0']);
  });

  it('two decrypt steps are for two keys', () => {
    expect(errorsOf([decrypt, { decrypt: { key: 'client', parts: [] } }])).toEqual([]);
  });
});
