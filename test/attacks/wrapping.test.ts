/** Signature wrapping, by the names of research/security.md §1.1. Each refused input has its twin that is accepted. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isSigned } from '#src/wss/coverage.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { ns } from '#src/xml/index.js';
import { testKey } from '../support/pki.js';
import {
  orderMessage,
  signed,
  subjectTrust,
  testTrust,
  verified,
  type Verified,
} from '../support/signing.js';
import { outcome, testToolkit } from '../support/toolkit.js';
import { signByHand } from './forge.js';
import { wrap, wrappings, type Wrapping } from './generator.js';

let toolkit: Toolkit;
beforeAll(async () => {
  toolkit = await testToolkit();
});

const withUser = orderMessage().replace(
  '</wsse:Security>',
  '<wsse:UsernameToken wsu:Id="user"><wsse:Username>alice</wsse:Username></wsse:UsernameToken></wsse:Security>',
);
const parts = ['timestamp', 'body', 'header/wsa:To', 'header/wsa:Action'];

/** The parts, the token and the user name, signed by the client; the token is in place before it is signed. */
async function signedWithToken(signedParts: readonly string[]): Promise<string> {
  const token =
    `<wsse:BinarySecurityToken wsu:Id="token" ValueType="http://docs.oasis-open.org/wss/2004/01/` +
    `oasis-200401-wss-x509-token-profile-1.0#X509v3">` +
    `${Buffer.from(testKey('client').certificate.der).toString('base64')}</wsse:BinarySecurityToken>`;
  const message = withUser.replace('<wsu:Timestamp>', `${token}<wsu:Timestamp>`);
  const first = await signed(toolkit, message, {
    parts: [...signedParts, '#user', '#token'],
    reference: 'x509-data',
  });
  return first.replace(
    /<ds:X509Data>.*<\/ds:X509Data>/s,
    '<wsse:SecurityTokenReference><wsse:Reference URI="#token"/></wsse:SecurityTokenReference>',
  );
}

/** As a chain would: what is required is covered, and so is the user name that `check-username` would read. */
function accept(message: string, required: readonly string[]): Verified {
  const result = verified(toolkit, message, { parts: required });
  const { doc, header, facts } = result;
  const users = doc.children(header).filter((child) => doc.is(child, ns.wsse, 'UsernameToken'));
  const [fact] = facts;
  if (users.length !== 1 || !users.every((user) => fact !== undefined && isSigned(doc, fact, user, []))) {
    throw Object.assign(new Error('the UsernameToken is not covered'), { code: 'PART_NOT_SIGNED' });
  }
  return result;
}

function expected({ target, place, decoy }: Wrapping): string {
  if (decoy === 'same id') return 'XML_ID_DUPLICATE';
  if (place === 'before Header' || place === 'after Body') return 'SOAP_STRUCTURE';
  if (place === 'inside ds:Object' || place === 'inside KeyInfo') return 'SECURITY_STRUCTURE';
  if (target === 'BinarySecurityToken')
    return decoy === 'id moved' ? 'CERTIFICATE_UNTRUSTED' : 'TOKEN_UNAVAILABLE';
  return decoy === 'id moved' ? 'DIGEST_MISMATCH' : 'PART_NOT_SIGNED';
}

describe('XSW-05: 8 places × 4 decoys × 6 targets', () => {
  /** Where the Body is signed, nothing can be put into it; the other parts are tried without that. */
  const withoutBody = parts.filter((part) => part !== 'body');
  const requiredFor = ({ target, place }: Wrapping): readonly string[] =>
    place === 'foreign child of Body' && target !== 'Body' ? withoutBody : parts;
  const twins = new Map<readonly string[], string>();
  const attacker = Buffer.from(testKey('other').certificate.der).toString('base64');
  beforeAll(async () => {
    for (const required of [parts, withoutBody]) twins.set(required, await signedWithToken(required));
  });

  it('has 192 inputs, whose twins are accepted', () => {
    const inputs = wrappings.map((one) => wrap(twins.get(requiredFor(one)) ?? '', one, attacker));
    expect(new Set(inputs).size).toBe(192);
    for (const [required, twin] of twins) accept(twin, required);
  });

  it.each(wrappings)('refuses $target $place, decoy with $decoy', async (wrapping) => {
    const required = requiredFor(wrapping);
    const message = wrap(twins.get(required) ?? '', wrapping, attacker);
    expect(await outcome(() => accept(message, required))).toBe(expected(wrapping));
  });
});

describe('XSW-09: 8 × 8 kinds of id', () => {
  const kinds = [
    ['wsu:Id', true],
    ['Id', false],
    ['ID', false],
    ['id', false],
    ['xml:id', true],
    ['x:Id', false],
    ['AssertionID', false],
    ['saml:ID', false],
  ] as const;
  const body = (kind: string, item: string): string =>
    `<soap:Body ${kind}="part"><o:order xmlns:o="urn:orders">${item}</o:order></soap:Body>`;
  const envelope = (inner: string): string =>
    `<soap:Envelope xmlns:soap="${ns.soap11}" xmlns:wsu="${ns.wsu}" xmlns:x="urn:x" xmlns:saml="${ns.saml2}">` +
    `<soap:Header><wsse:Security xmlns:wsse="${ns.wsse}"><signature/></wsse:Security></soap:Header>${inner}</soap:Envelope>`;
  const sign = (kind: string): Promise<string> =>
    signByHand(toolkit, envelope(body(kind, 'nut')), [
      { id: 'part', element: (doc) => doc.children(doc.root)[1]! },
    ]);
  const matrix = kinds.flatMap(([original, real]) =>
    kinds.map(([decoy, decoyReal]) => {
      const same = decoyReal ? 'XML_ID_DUPLICATE' : 'PART_NOT_SIGNED';
      const other = decoyReal ? 'DIGEST_MISMATCH' : 'REFERENCE_UNRESOLVED';
      return { original, decoy, code: real ? same : other };
    }),
  );

  it('has 64 inputs', () => {
    expect(matrix).toHaveLength(64);
  });

  it.each(kinds)('takes %s for an id: %s', async (kind, real) => {
    const twin = await sign(kind);
    expect(await outcome(() => verified(toolkit, twin, { parts: ['body'] }))).toBe(
      real ? 'accepted' : 'REFERENCE_UNRESOLVED',
    );
  });

  it.each(matrix)('refuses $original moved, decoy with $decoy: $code', async ({ original, decoy, code }) => {
    const twin = await sign(original);
    const signedBody = /<soap:Body.*<\/soap:Body>/s.exec(twin)?.[0] ?? '';
    const attack = twin
      .replace(signedBody, () => body(decoy, 'gold'))
      .replace('</soap:Header>', () => `<evil xmlns="urn:evil">${signedBody}</evil></soap:Header>`);
    expect(await outcome(() => verified(toolkit, attack, { parts: ['body'] }))).toBe(code);
  });
});

describe('by name', () => {
  const base = (): Promise<string> => signed(toolkit, orderMessage(), { parts });
  const attack = async (change: (message: string) => string, step = { parts }): Promise<string> => {
    const twin = await base();
    expect(await outcome(() => verified(toolkit, twin, step))).toBe('accepted');
    const changed = change(twin);
    expect(changed).not.toBe(twin);
    return outcome(() => verified(toolkit, changed, step));
  };
  const body = /<soap:Body.*<\/soap:Body>/s;
  const evil = '<soap:Body><o:order xmlns:o="urn:orders">gold</o:order></soap:Body>';
  const inHeader = (message: string, block: string): string =>
    message.replace('</soap:Header>', () => `${block}</soap:Header>`);

  it('XSW-01: the signed Body under a Header child', async () => {
    const code = await attack((m) => {
      const original = body.exec(m)?.[0] ?? '';
      return inHeader(
        m.replace(original, () => evil),
        `<w xmlns="urn:w">${original}</w>`,
      );
    });
    expect(code).toBe('PART_NOT_SIGNED');
  });

  it('XSW-02: a signed optional header under a wrapper', async () => {
    const optional = { parts: ['body', 'header/wsa:To?'] };
    const to = /<wsa:To[ >].*?<\/wsa:To>/s;
    const forged = await attack((m) => {
      const original = to.exec(m)?.[0] ?? '';
      const moved = `<w xmlns="urn:w" soap:mustUnderstand="0">${original}</w>`;
      return inHeader(
        m.replace(original, () => '<wsa:To>urn:attacker</wsa:To>'),
        moved,
      );
    }, optional);
    expect(forged).toBe('PART_NOT_SIGNED');
    // Without a decoy the header is absent, which the policy allows by its question mark.
    const absent = await attack((m) => {
      const original = to.exec(m)?.[0] ?? '';
      return inHeader(m.replace(original, ''), `<w xmlns="urn:w">${original}</w>`);
    }, optional);
    expect(absent).toBe('accepted');
    const unsigned = await signed(toolkit, orderMessage(), { parts: ['body'] });
    const required = { parts: ['body', 'header/wsa:To'] };
    expect(await outcome(() => verified(toolkit, unsigned, required))).toBe('PART_NOT_SIGNED');
    expect(await outcome(() => verified(toolkit, unsigned.replace(to, ''), required))).toBe('PART_MISSING');
  });

  it('XSW-03: the signed Timestamp in the Security header of another actor', async () => {
    const code = await attack((m) => {
      const original = /<wsu:Timestamp.*<\/wsu:Timestamp>/s.exec(m)?.[0] ?? '';
      const decoy = original.replace(/ wsu:Id="[^"]*"/, '').replace('12:05', '23:05');
      return inHeader(
        m.replace(original, () => decoy),
        `<wsse:Security xmlns:wsse="${ns.wsse}" xmlns:wsu="${ns.wsu}" soap:actor="urn:other">${original}</wsse:Security>`,
      );
    });
    expect(code).toBe('PART_NOT_SIGNED');
  });

  it('XSW-08: the same id twice, before, after and around', async () => {
    const id = (m: string): string => /<soap:Body[^>]*wsu:Id="([^"]*)"/.exec(m)?.[1] ?? '';
    const mark = (m: string): string => `<w xmlns="urn:w" xmlns:u="${ns.wsu}" u:Id="${id(m)}"/>`;
    expect(await attack((m) => inHeader(m, mark(m)))).toBe('XML_ID_DUPLICATE');
    expect(await attack((m) => m.replace('</soap:Body>', `${mark(m)}</soap:Body>`))).toBe('XML_ID_DUPLICATE');
    expect(
      await attack((m) =>
        m.replace('<soap:Envelope ', `<soap:Envelope xmlns:u="${ns.wsu}" u:Id="${id(m)}" `),
      ),
    ).toBe('XML_ID_DUPLICATE');
  });

  it('XSW-10: two ids on one element', async () => {
    const code = await attack((m) => m.replace(/<soap:Body /, '<soap:Body xml:id="b" '));
    expect(code).toBe('XML_ID_INVALID');
  });

  it.each(['&#x20;x', 'a b', '', ':a', 'a:b'])('XSW-11: the id %j is none', async (id) => {
    expect(await attack((m) => inHeader(m, `<w xmlns="urn:w" xmlns:u="${ns.wsu}" u:Id="${id}"/>`))).toBe(
      'XML_ID_INVALID',
    );
  });

  it('XSW-11: ids differ by case and normalisation', async () => {
    const made = (uri: string): Promise<string> =>
      signByHand(
        toolkit,
        `<soap:Envelope xmlns:soap="${ns.soap11}" xmlns:wsu="${ns.wsu}"><soap:Header><wsse:Security xmlns:wsse="${ns.wsse}">` +
          `<signature/></wsse:Security></soap:Header><soap:Body wsu:Id="caf\u00e9">x</soap:Body></soap:Envelope>`,
        [{ id: uri, element: (doc) => doc.children(doc.root)[1]! }],
      );
    const judge = async (uri: string): Promise<string> => {
      const message = await made(uri);
      return outcome(() => verified(toolkit, message, { parts: ['body'] }));
    };
    expect(await judge('caf\u00e9')).toBe('accepted');
    expect(await judge('Caf\u00e9')).toBe('REFERENCE_UNRESOLVED');
    expect(await judge('cafe\u0301')).toBe('REFERENCE_UNRESOLVED');
  });

  it('XSW-12 and XSW-14: forged SignedInfo and DigestValue elsewhere in the Signature', async () => {
    const info = (m: string): string => /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(m)?.[0] ?? '';
    expect(await attack((m) => m.replace('<ds:SignatureValue>', () => `${info(m)}<ds:SignatureValue>`))).toBe(
      'SECURITY_STRUCTURE',
    );
    expect(await attack((m) => m.replace('</ds:SignedInfo>', () => `${info(m)}</ds:SignedInfo>`))).toBe(
      'SECURITY_STRUCTURE',
    );
    expect(
      await attack((m) =>
        m.replace('</ds:DigestValue>', '<ds:DigestValue>AAAA</ds:DigestValue></ds:DigestValue>'),
      ),
    ).toBe('XML_NOT_TEXT');
  });

  it.each([
    ['a comment', '<!--x-->'],
    ['a CDATA section', '<![CDATA[A]]>'],
    ['an element', '<x/>'],
  ])('XSW-13: %s in crypto leaves', async (_, junk) => {
    for (const leaf of ['ds:DigestValue', 'ds:SignatureValue', 'wsse:BinarySecurityToken']) {
      const pattern = new RegExp(`(<${leaf}[^>]*>....)`);
      expect(await attack((m) => m.replace(pattern, `$1${junk}`))).toBe('XML_NOT_TEXT');
    }
  });

  it('XSW-15: another trusted signer over the forged Body, the first one over a decoy', async () => {
    const client = testKey('client').certificate.subject.toString();
    const trust = subjectTrust(toolkit, client);
    const twin = await signed(toolkit, orderMessage(), { parts: ['timestamp', 'body'] });
    expect(await outcome(() => verified(toolkit, twin, { trust, parts: ['body'] }))).toBe('accepted');
    const original = body.exec(twin)?.[0] ?? '';
    const moved = inHeader(
      twin.replace(original, () => evil),
      `<w xmlns="urn:w">${original}</w>`,
    );
    const forged = await signed(toolkit, moved, { key: 'server', parts: ['body'] });
    expect(await outcome(() => verified(toolkit, forged, { trust, parts: ['body'] }))).toBe(
      'CERTIFICATE_SUBJECT',
    );
    // With a step that takes the second signer, each step still asks for its own parts under its own Signature.
    const server = subjectTrust(toolkit, testKey('server').certificate.subject.toString());
    const both = [
      { trust, parts: ['body'] },
      { trust: server, parts: ['body'] },
    ];
    expect(await outcome(() => verified(toolkit, forged, ...both))).toBe('PART_NOT_SIGNED');
  });

  it('XSW-16: the contents of two signed parts exchanged', async () => {
    expect(
      await attack((m) =>
        m
          .replace('urn:partner', '\u0001')
          .replace('urn:order<', 'urn:partner<')
          .replace('\u0001', 'urn:order'),
      ),
    ).toBe('DIGEST_MISMATCH');
  });

  it('XSW-18: a Body by its local name only', async () => {
    expect(await attack((m) => m.replace('</soap:Envelope>', `${evil}</soap:Envelope>`))).toBe(
      'SOAP_STRUCTURE',
    );
    const body12 = `<b:Body xmlns:b="${ns.soap12}"/>`;
    expect(await attack((m) => m.replace('</soap:Envelope>', `${body12}</soap:Envelope>`))).toBe(
      'SOAP_STRUCTURE',
    );
    expect(await attack((m) => m.replace('<soap:Body', `${body12}<soap:Body`))).toBe('SOAP_STRUCTURE');
  });

  it('XSW-20: attributes inside a signed element are signed', async () => {
    const code = await attack((m) =>
      m.replace('<o:order ', `<o:order xmlns:xsi="${ns.xsi}" xsi:type="o:gift" `),
    );
    expect(code).toBe('DIGEST_MISMATCH');
  });

  it('XSW-21: no Signature, one that only looks like it, one for another actor', async () => {
    const signature = /<ds:Signature .*<\/ds:Signature>/s;
    expect(await attack((m) => m.replace(signature, ''))).toBe('SIGNATURE_MISSING');
    expect(
      await attack((m) => m.replace(`<ds:Signature xmlns:ds="${ns.ds}"`, '<ds:Signature xmlns:ds="urn:x"')),
    ).toBe('SIGNATURE_MISSING');
    expect(await attack((m) => m.replace('<wsse:Security ', '<wsse:Security soap:actor="urn:other" '))).toBe(
      'SIGNATURE_MISSING',
    );
    expect(await attack((m) => m.replace(/<wsse:Security .*<\/wsse:Security>/s, ''))).toBe(
      'SIGNATURE_MISSING',
    );
  });

  it('XSW-22: a trust that could accept nobody, or anybody unsaid, is refused at start', async () => {
    const { makeTrust } = await import('#src/wss/trust.js');
    const none = { name: 't', anchors: [], pinned: [], subjects: [], anySubject: true };
    expect(await outcome(() => makeTrust(none, toolkit))).toBe('POLICY_INVALID');
    const anchors = [testKey('ca').certificate];
    expect(await outcome(() => makeTrust({ ...none, anchors, anySubject: false }, toolkit))).toBe(
      'POLICY_INVALID',
    );
    expect(await outcome(() => makeTrust({ ...none, anchors }, toolkit))).toBe('accepted');
  });

  it('SIG-04: a self-signed clone of the certificate', async () => {
    const twin = await signed(toolkit, orderMessage());
    verified(toolkit, twin, { trust: testTrust(toolkit) });
    const forged = await signed(toolkit, orderMessage(), { key: 'other' });
    // `other` is named exactly like `client`, but comes from another CA.
    expect(testKey('other').certificate.subject.toString()).toBe(
      testKey('client').certificate.subject.toString(),
    );
    expect(await outcome(() => verified(toolkit, forged))).toBe('CERTIFICATE_UNTRUSTED');
  });
});
