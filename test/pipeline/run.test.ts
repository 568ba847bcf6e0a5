/** Whole chains over whole messages: what must hold, order, what is forwarded. */
import { describe, expect, it } from '@jest/globals';
import { newExchange } from '#src/pipeline/index.js';
import { bench, check, order, process, protect, type ChainOptions, type StepText } from '../support/chain.js';
import { testKey } from '../support/pki.js';
import { outcome, soap } from '../support/toolkit.js';

const b = await bench();

const WSA = 'http://www.w3.org/2005/08/addressing';
const to = `<wsa:To xmlns:wsa="${WSA}">urn:x</wsa:To>`;

const out = async (list: readonly StepText[], message: string, options?: ChainOptions): Promise<string> =>
  (await process(b.chain(list, options), message)).text;
const verdict = (list: readonly StepText[], message: string, options?: ChainOptions): Promise<string> =>
  outcome(() => process(b.chain(list, options), message));

const sign = (parts: string[], more: object = {}): StepText => ({ sign: { key: 'client', parts, ...more } });
const encrypt = (parts: string[], more: object = {}): StepText => ({
  encrypt: { to: 'server', parts, ...more },
});
const verify = (parts: string[], more: object = {}): StepText => ({
  verify: { trust: 'clients', parts, ...more },
});
const decrypt = (parts: string[], more: object = {}): StepText => ({
  decrypt: { key: 'server', parts, ...more },
});
const children = (message: string): string[] => {
  const [, header = ''] = /<wsse:Security[^>]*>(.*)<\/wsse:Security>/s.exec(message) ?? [];
  const names: string[] = [];
  let depth = 0;
  for (const [tag, close, name = ''] of header.matchAll(/<(\/?)([\w:]+)[^>]*?>/g)) {
    if (close !== '/' && depth === 0) names.push(name);
    if (tag.endsWith('/>')) continue;
    depth += close === '/' ? -1 : 1;
  }
  return names;
};

describe('scenario 3', () => {
  it.each(['1.1', '1.2'] as const)('gives the input back, byte for byte (SOAP %s)', async (version) => {
    const message = soap(order, to, version);
    const secured = await out(protect, message);
    expect(secured).not.toContain('pencil');
    const same = await out([...check, { strip: { ids: true } }], secured);
    expect(same).toBe(message);
    const withIds = await out(check, secured);
    const idAttribute = / xmlns:wsu="[^"]*"| wsu:Id="[^"]*"/g;
    expect(withIds.replace(idAttribute, '')).toBe(message);
    expect(withIds).not.toBe(message);
  });

  it('gives a message without a Header back without one', async () => {
    const message = `<?xml version="1.0" encoding="utf-8"?>\r\n${soap(order)}\n<!-- end -->`;
    expect(await out([...check, { strip: { ids: true } }], await out(protect, message))).toBe(message);
  });

  it('writes Timestamp, EncryptedKey, BinarySecurityToken, Signature', async () => {
    expect(children(await out(protect, soap(order)))).toEqual([
      'wsu:Timestamp',
      'xenc:EncryptedKey',
      'wsse:BinarySecurityToken',
      'ds:Signature',
    ]);
  });

  it('tells who signed what, and what the operation is', async () => {
    const { exchange, evidence } = await process(b.chain(check), await out(protect, soap(order)));
    expect(exchange.request).toMatchObject({
      soapVersion: '1.1',
      operation: 'o:order',
      peer: testKey('client').certificate.subject.toString(),
      fault: false,
    });
    expect(evidence.map(({ kind }) => kind).sort()).toEqual(['decrypted', 'signed', 'timestamp']);
  });
});

describe('what must hold', () => {
  it.each<[string, (message: string) => string, string]>([
    ['a changed Body', (m) => m.replace('pencil', 'pencils'), 'DIGEST_MISMATCH'],
    ['a changed Timestamp', (m) => m.replace(/(<wsu:Expires>\d{3})\d/, '$19'), 'DIGEST_MISMATCH'],
    ['a changed SignedInfo', (m) => m.replace(/(<ds:DigestValue>)./, '$1_'), 'XML_BASE64'],
    ['no Signature', (m) => m.replace(/<ds:Signature .*<\/ds:Signature>/s, ''), 'SIGNATURE_MISSING'],
    ['no Security header', (m) => m.replace(/<wsse:Security .*<\/wsse:Security>/s, ''), 'HEADER_MISSING'],
    ['no Timestamp', (m) => m.replace(/<wsu:Timestamp .*<\/wsu:Timestamp>/s, ''), 'REFERENCE_UNRESOLVED'],
    [
      'two Security headers',
      (m) =>
        m.replace(
          /(<wsse:Security .*<\/wsse:Security>)/s,
          '$1<wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"/>',
        ),
      'HEADER_DUPLICATE',
    ],
    ['the Body moved and another in its place', wrapBody, 'PART_NOT_SIGNED'],
    ['truncated', (m) => m.slice(0, -20), 'XML_NOT_WELL_FORMED'],
  ])('refuses %s', async (_, change, code) => {
    const list = [verify(['timestamp', 'body']), 'check-timestamp', 'replay'];
    const signed = await out(['timestamp', sign(['timestamp', 'body'])], soap(order));
    expect(change(signed)).not.toBe(signed);
    expect(await verdict(list, change(signed))).toBe(code);
    expect(await verdict(list, signed)).toBe('accepted');
  });

  it('refuses what was signed by somebody else', async () => {
    const other = await out([{ sign: { key: 'server', parts: ['body'] } }], soap(order));
    expect(await verdict([verify(['body'])], other)).toBe('CERTIFICATE_SUBJECT');
    expect(await verdict([verify(['body'])], await out([sign(['body'])], soap(order)))).toBe('accepted');
  });

  it('refuses a part that is not covered, and says which and where', async () => {
    const list = [verify(['body', 'header/wsa:To'])];
    const bare = await out([sign(['body'])], soap(order, to));
    const error: unknown = await process(b.chain(list), bare).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'PART_NOT_SIGNED',
      message: 'header/wsa:To is not covered',
      details: { step: 'verify', at: 'parts.1', place: 'orders.yaml:1:parts.1', found: 'Covered: body' },
    });
    expect(await verdict(list, await out([sign(['body', 'header/wsa:To'])], soap(order, to)))).toBe(
      'accepted',
    );
  });

  it('a part that matches nothing refuses; with ? it may be absent, but if it is there it is covered', async () => {
    expect(await verdict([sign(['body', 'header/wsa:To'])], soap(order))).toBe('PART_MISSING');
    const optional = sign(['body', 'header/wsa:To?']);
    const without = await out([optional], soap(order));
    expect(await verdict([verify(['body', 'header/wsa:To'])], without)).toBe('PART_MISSING');
    expect(await verdict([verify(['body', 'header/wsa:To?'])], without)).toBe('accepted');
    const bare = await out([sign(['body'])], soap(order, to));
    expect(await verdict([verify(['body', 'header/wsa:To?'])], bare)).toBe('PART_NOT_SIGNED');
    expect(await verdict([verify(['body', 'header/wsa:To?'])], await out([optional], soap(order, to)))).toBe(
      'accepted',
    );
  });

  it('covers every match of a part', async () => {
    const two = soap(order, to + to);
    const signed = await out([sign(['header/wsa:To', 'body'])], two);
    expect(await verdict([verify(['header/wsa:To'])], signed)).toBe('accepted');
    const added = signed.replace('</soap:Header>', `${to}</soap:Header>`);
    expect(await verdict([verify(['header/wsa:To'])], added)).toBe('PART_NOT_SIGNED');
  });

  it('refuses when what must be encrypted is not', async () => {
    const list = [decrypt(['body/content']), verify(['body'])];
    const signed = await out([sign(['body'])], soap(order));
    expect(await verdict(list, signed)).toBe('PART_NOT_ENCRYPTED');
    expect(await verdict(list, await out([sign(['body']), encrypt(['body/content'])], soap(order)))).toBe(
      'accepted',
    );
  });

  it('encrypts an empty element as zero octets; inbound an empty one in clear is refused', async () => {
    const list = [decrypt(['body/content'])];
    expect(await verdict(list, await out([encrypt(['body/content'])], soap('')))).toBe('accepted');
    expect(await verdict(list, await out([encrypt(['header/wsa:To'])], soap('', to)))).toBe(
      'PART_NOT_ENCRYPTED',
    );
  });

  it('more may be signed and encrypted than the policy asks for', async () => {
    const rich = await out(
      [sign(['body', 'header/wsa:To']), encrypt(['header/wsa:To', 'body/content'])],
      soap(order, to),
    );
    expect(await verdict([decrypt(['body/content']), verify(['body'])], rich)).toBe('accepted');
  });

  it.each<[string, StepText[], StepText[], string]>([
    ['Timestamp', ['timestamp'], [verify([], { optional: true })], 'HEADER_CHILD_UNEXPECTED'],
    [
      'Signature',
      [sign(['body'])],
      [{ 'check-timestamp': { signed: false, optional: true } }],
      'HEADER_CHILD_UNEXPECTED',
    ],
    [
      'EncryptedKey',
      [encrypt(['body/content'])],
      [verify([], { optional: true })],
      'HEADER_CHILD_UNEXPECTED',
    ],
    ['second Signature', [sign(['body']), sign(['body'])], [verify(['body'])], 'SIGNATURE_UNEXPECTED'],
  ])('refuses a %s that no step owns, and names the step', async (_, made, list, code) => {
    const error: unknown = await process(b.chain(list), await out(made, soap(order))).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code,
      details: { remedy: expect.stringMatching(/verify|decrypt|check-timestamp/) },
    });
  });

  it('refuses an unknown child of the Security header', async () => {
    const signed = await out([sign(['body'])], soap(order));
    const odd = signed.replace('</wsse:Security>', '<x:y xmlns:x="urn:x"/></wsse:Security>');
    expect(await verdict([verify(['body'])], odd)).toBe('HEADER_CHILD_UNEXPECTED');
  });

  it('ignores a token that nothing uses, and counts it', async () => {
    const signed = await out([sign(['body'])], soap(order));
    const [token = ''] = /<wsse:BinarySecurityToken.*?<\/wsse:BinarySecurityToken>/s.exec(signed) ?? [];
    const extra = signed.replace(token, token + token.replace(/wsu:Id="[^"]*"/, 'wsu:Id="spare"'));
    const { exchange } = await process(b.chain([verify(['body'])]), extra);
    expect(exchange.request.counts.get('token-unused')).toBe(1);
  });
});

describe('several signatures', () => {
  const both = [sign(['body']), { sign: { key: 'ec', parts: ['body', 'signature'] } }];

  it('each goes to the first verify that has none and whose trust accepts it', async () => {
    const signed = await out(both, soap(order));
    const ec = { verify: { trust: 'ec', parts: ['body', 'signature/first'], name: 'counter' } };
    const list = [verify(['body'], { name: 'first' }), ec];
    expect(await verdict(list, signed)).toBe('accepted');
    expect(await verdict([...list].reverse(), signed)).toBe('accepted');
    const { exchange } = await process(b.chain(list), signed);
    expect([...exchange.requestSigners.keys()].sort()).toEqual(['counter', 'first']);
  });

  it('all parts of one verify are covered by one Signature', async () => {
    const split = await out(
      [sign(['body']), { sign: { key: 'ec', parts: ['header/wsa:To'] } }],
      soap(order, to),
    );
    const anyone = { verify: { trust: 'anyone', parts: ['body', 'header/wsa:To'] } };
    const more = { verify: { trust: 'anyone', parts: [] } };
    expect(await verdict([anyone, more], split)).toBe('PART_NOT_SIGNED');
  });

  it('optional: without a Signature it passes, with one it must hold', async () => {
    const optional = [verify(['body'], { optional: true })];
    expect(await verdict(optional, soap(order))).toBe('accepted');
    expect(await verdict([verify(['body'])], soap(order))).toBe('HEADER_MISSING');
    expect(await verdict(optional, await out([sign(['header/wsa:To'])], soap(order, to)))).toBe(
      'PART_NOT_SIGNED',
    );
    const tampered = (await out([sign(['body'])], soap(order))).replace('pencil', 'x');
    expect(await verdict(optional, tampered)).toBe('DIGEST_MISMATCH');
  });
});

describe('limits', () => {
  it('bounds the Signatures of a message', async () => {
    const strict = await bench({ limits: { signatures: 1 } });
    const signed = await out([sign(['body']), sign(['body'])], soap(order));
    const list = [verify(['body']), verify(['body'])];
    expect(await outcome(() => process(strict.chain(list), signed))).toBe('SECURITY_LIMIT');
    expect(await verdict(list, signed)).toBe('accepted');
  });

  it('comments: 0 refuses comments, which no signature covers', async () => {
    const strict = await bench({ limits: { comments: 0 } });
    const list = [verify(['body'])];
    const signed = await out([sign(['body'])], soap(order));
    const commented = signed.replace('pencil', 'pen<!-- -->cil');
    expect(await verdict(list, commented)).toBe('accepted');
    expect(await outcome(() => process(strict.chain(list), commented))).toBe('XML_LIMIT');
    expect(await outcome(() => process(strict.chain(list), signed))).toBe('accepted');
  });

  it('refuses ciphertext in the place of the Body that nothing decrypts', async () => {
    const hidden = soap('x').replace(
      /<soap:Body>.*<\/soap:Body>/,
      '<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"/>',
    );
    expect(await verdict([decrypt([])], hidden)).toBe('SOAP_STRUCTURE');
    expect(await verdict([decrypt([])], soap('x'))).toBe('accepted');
  });
});

describe('order of signature and encryption', () => {
  const inner = [sign(['body']), encrypt(['body/content'])];
  const outer = [encrypt(['body/content']), sign(['body'])];

  it.each<[string, StepText[], string, string]>([
    ['sign, then encrypt', inner, 'sign-then-encrypt', 'accepted'],
    ['sign, then encrypt', inner, 'encrypt-then-sign', 'PROTECTION_ORDER'],
    ['sign, then encrypt', inner, 'any', 'accepted'],
    ['encrypt, then sign', outer, 'sign-then-encrypt', 'PROTECTION_ORDER'],
    ['encrypt, then sign', outer, 'encrypt-then-sign', 'accepted'],
    ['encrypt, then sign', outer, 'any', 'accepted'],
  ])('%s under protection: %s', async (_, made, protection, expected) => {
    const list = [decrypt(['body/content']), verify(['body'], { protection })];
    expect(await verdict(list, await out(made, soap(order)))).toBe(expected);
  });

  it('decrypts a Signature in its place and checks it then', async () => {
    const message = soap(order);
    const hidden = await out([sign(['body']), encrypt(['signature', 'body/content'])], message);
    expect(hidden).not.toContain('ds:SignedInfo');
    const list = [decrypt(['body/content', 'signature']), verify(['body']), { strip: { ids: true } }];
    expect(await out(list, hidden)).toBe(message);
    const shown = await out(inner, soap(order));
    expect(await verdict(list, shown)).toBe('PART_NOT_ENCRYPTED');
  });

  it('opens the signature before any private key is used', async () => {
    const spoilt = (await out(protect, soap(order))).replace(
      /(<ds:SignatureValue>)(.)/,
      (_, tag: string, first: string) => `${tag}${first === 'A' ? 'B' : 'A'}`,
    );
    const error: unknown = await process(b.chain(check), spoilt).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SIGNATURE_INVALID' });
    expect(error).not.toHaveProperty('details.afterKey');
  });
});

describe('what is forwarded', () => {
  it('keeps headers for other roles, and the Header that holds them', async () => {
    const other =
      '<wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" soap:actor="urn:other"><x/></wsse:Security>';
    const message = soap(order, other + to);
    expect(await out([...check, { strip: { ids: true } }], await out(protect, message))).toBe(message);
  });

  it('strip: keep leaves the header where it is', async () => {
    const signed = await out([sign(['body'])], soap(order));
    expect(await out([verify(['body']), { strip: { keep: true } }], signed)).toBe(signed);
  });

  it('strip: ids takes the ids of what was signed, and passes over ciphertext that was signed and is gone', async () => {
    const message = soap(order, to);
    const signed = sign(['body', 'header/wsse11:EncryptedHeader']);
    const outer = await out([encrypt(['header/wsa:To']), signed], message);
    const parts = ['body', 'header/wsa:To'];
    const list = (protection: string, strip: object): StepText[] => [
      decrypt(['header/wsa:To']),
      verify(parts, { protection }),
      { strip },
    ];
    expect(await out(list('encrypt-then-sign', { ids: true }), outer)).toBe(message);
    expect(await verdict(list('encrypt-then-sign', { ids: true, keep: true }), outer)).toBe('accepted');
    const inner = await out([sign(parts), encrypt(['header/wsa:To'])], message);
    expect(await out(list('sign-then-encrypt', { ids: true }), inner)).toBe(message);
  });

  it('reads and writes the header of its role only', async () => {
    const options = { role: 'urn:gateway' };
    const signed = await out([sign(['body'])], soap(order), options);
    expect(signed).toContain('soap:actor="urn:gateway"');
    expect(await verdict([verify(['body'])], signed, options)).toBe('accepted');
    expect(await verdict([verify(['body'])], signed)).toBe('HEADER_MISSING');
  });

  it('existing: refuse or merge', async () => {
    const own =
      '<wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"></wsse:Security>';
    const message = soap(order, own);
    expect(await verdict([sign(['body'])], message)).toBe('HEADER_EXISTS');
    const merged = await out([sign(['body'])], message, { existing: 'merge' });
    expect(await verdict([verify(['body'])], merged)).toBe('accepted');
  });

  it('a chain of both directions takes one protection off and puts another on', async () => {
    const resecure = [...check, 'timestamp', { sign: { key: 'server', parts: ['timestamp', 'body'] } }];
    const second = await out(resecure, await out(protect, soap(order, to)));
    const list = [{ verify: { trust: 'servers', parts: ['timestamp', 'body'] } }, 'check-timestamp'];
    expect(await out([...list, { strip: { ids: true } }], second)).toBe(soap(order, to));
    expect(await verdict(check, second)).not.toBe('accepted');
  });
});

describe('require', () => {
  it('asks for headers and for the first child of the Body, after decryption', async () => {
    const list = [...check, { require: { present: ['header/wsa:To'], body: 'o:order' } }];
    expect(await verdict(list, await out(protect, soap(order, to)))).toBe('accepted');
    expect(await verdict(list, await out(protect, soap(order)))).toBe('PART_MISSING');
    expect(await verdict(list, await out(protect, soap('<o:other xmlns:o="urn:orders"/>', to)))).toBe(
      'BODY_UNEXPECTED',
    );
  });
});

describe('the request signer', () => {
  const answer = [{ encrypt: { to: 'request-signer', parts: ['body/content'] } }];

  it('gets the answer', async () => {
    const { exchange } = await process(b.chain(check), await out(protect, soap(order)));
    const { text } = await process(b.chain(answer, { kind: 'response' }), soap(order), exchange);
    expect(await verdict([{ decrypt: { key: 'client', parts: ['body/content'] } }], text)).toBe('accepted');
    expect(await verdict([decrypt(['body/content'])], text)).toBe('TOKEN_UNAVAILABLE');
  });

  it('must be known', async () => {
    const chain = b.chain(answer, { kind: 'response' });
    expect(await outcome(() => process(chain, soap(order), newExchange('1', 'orders')))).toBe(
      'REQUEST_SIGNER_MISSING',
    );
  });
});

/** The classic: the signed Body goes into a header of its own, another one takes its place. */
function wrapBody(message: string): string {
  const [body = ''] = /<soap:Body.*<\/soap:Body>/s.exec(message) ?? [];
  return message
    .replace(body, '<soap:Body><o:order xmlns:o="urn:orders">evil</o:order></soap:Body>')
    .replace('</soap:Header>', `<w:wrap xmlns:w="urn:w">${body}</w:wrap></soap:Header>`);
}
