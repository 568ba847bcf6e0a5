import { beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '#src/core/clock.js';
import { StepTimer } from '#src/core/timer.js';
import type { ReferenceStyle } from '#src/wss/references/types.js';
import type { Toolkit } from '#src/wss/toolkit.js';
import { ns } from '#src/xml/index.js';
import { testKey } from '../../support/pki.js';
import { orderMessage, signed, subjectTrust, testTrust, verified } from '../../support/signing.js';
import { outcome, testToolkit } from '../../support/toolkit.js';

let toolkit: Toolkit;
beforeAll(async () => {
  toolkit = await testToolkit({ allow: ['ed25519'] });
});

const styles: ReferenceStyle[] = ['direct', 'issuer-serial', 'ski', 'thumbprint', 'x509-data'];

describe('sign and verify', () => {
  it.each(styles)('names the key by %s', async (reference) => {
    const message = await signed(toolkit, orderMessage(), { reference });
    const { facts, scope } = verified(toolkit, message, { trust: testTrust(toolkit, 'client') });
    expect(facts[0]?.certificate.subject.toString()).toBe(testKey('client').certificate.subject.toString());
    expect(facts[0]?.elements).toContain(scope.envelope.body);
    expect(facts[0]?.replayId).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['rsa-sha256', 'client'],
    ['rsa-sha384', 'client'],
    ['rsa-sha512', 'client'],
    ['rsa-pss-sha256', 'client'],
    ['rsa-pss-sha384', 'client'],
    ['rsa-pss-sha512', 'client'],
    ['ecdsa-sha256', 'ec'],
    ['ecdsa-sha384', 'ec384'],
    ['ecdsa-sha512', 'ec384'],
    ['ed25519', 'ed25519'],
  ] as const)('uses %s', async (algorithm, key) => {
    const message = await signed(toolkit, orderMessage(), { algorithm, key });
    expect(verified(toolkit, message).facts[0]?.algorithms).toEqual([algorithm, 'exc-c14n', 'sha256']);
  });

  it.each(['sha256', 'sha384', 'sha512'])('digests with %s', async (digest) => {
    const message = await signed(toolkit, orderMessage(), { digest });
    expect(verified(toolkit, message).facts[0]?.algorithms).toContain(digest);
  });

  it('uses an id that is there, and adds one where there is none', async () => {
    const message = await signed(
      toolkit,
      orderMessage().replace('<soap:Body>', `<soap:Body xmlns:wsu="${ns.wsu}" wsu:Id="Body">`),
    );
    expect(message).toContain('URI="#Body"');
    expect(message.match(/wsu:Id="id-[0-9a-f]{32}"/g)).toHaveLength(1);
    verified(toolkit, message);
  });

  it('writes Timestamp, token, Signature in this order, and changes nothing else', async () => {
    const message = await signed(toolkit, orderMessage());
    const order = ['<wsu:Timestamp', '<wsse:BinarySecurityToken', '<ds:Signature '].map((tag) =>
      message.indexOf(tag),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const stripped = message
      .replace(/<wsse:BinarySecurityToken.*<\/ds:Signature>/s, '')
      .replace(/ (xmlns:wsu="[^"]*" )?wsu:Id="[^"]*"/g, '');
    expect(stripped.replace(` xmlns:wsu="${ns.wsu}"`, '')).toBe(
      orderMessage().replace(` xmlns:wsu="${ns.wsu}"`, ''),
    );
  });

  it('signs twice, and each verify takes its own', async () => {
    const once = await signed(toolkit, orderMessage());
    const twice = await signed(toolkit, once, { key: 'server', parts: ['signature', 'body'] });
    const client = subjectTrust(toolkit, testKey('client').certificate.subject.toString());
    const server = subjectTrust(toolkit, testKey('server').certificate.subject.toString());
    const { facts } = verified(
      toolkit,
      twice,
      { trust: client },
      { trust: server, parts: ['signature', 'body'] },
    );
    expect(facts.map((fact) => fact?.certificate.subject.toString())).toEqual(
      ['client', 'server'].map((name) =>
        testKey(name === 'client' ? 'client' : 'server').certificate.subject.toString(),
      ),
    );
    // A Signature that no trust accepts is refused for that; one that none is left for, as unexpected.
    expect(await outcome(() => verified(toolkit, twice, { trust: client }))).toBe('CERTIFICATE_SUBJECT');
    expect(await outcome(() => verified(toolkit, twice))).toBe('SIGNATURE_UNEXPECTED');
    expect(await outcome(() => verified(toolkit, once, { trust: client }, { trust: server }))).toBe(
      'SIGNATURE_MISSING',
    );
  });

  it('gives the same replay id for the same SignedInfo and signer only', async () => {
    const message = await signed(toolkit, orderMessage());
    const first = verified(toolkit, message).facts[0]?.replayId;
    expect(verified(toolkit, message).facts[0]?.replayId).toBe(first);
    const other = await signed(toolkit, orderMessage());
    expect(verified(toolkit, other).facts[0]?.replayId).not.toBe(first);
  });

  it('times its parts', async () => {
    const timer = new StepTimer(systemClock);
    timer.enter('sign');
    await signed(toolkit, orderMessage(), { timer });
    timer.finish();
    const parts = Object.keys(timer.steps()[0]?.parts ?? {});
    expect(parts).toEqual(expect.arrayContaining(['c14n', 'digest', 'signed-info', 'private-key', 'write']));
    expect(timer.steps()[0]?.key).toBe('client');
  });

  it('signs large parts by pieces', async () => {
    const message = await signed(
      toolkit,
      orderMessage(`<o:blob xmlns:o="urn:orders">${'x'.repeat(300_000)}</o:blob>`),
    );
    verified(toolkit, message);
    const changed = message.replace('xxxx</o:blob>', 'xxxy</o:blob>');
    expect(await outcome(() => verified(toolkit, changed))).toBe('DIGEST_MISMATCH');
  });

  it('refuses to sign with what the policy denies', async () => {
    expect(await outcome(() => signed(toolkit, orderMessage(), { algorithm: 'rsa-sha1' }))).toBe(
      'ALGORITHM_DENIED',
    );
    expect(await outcome(() => signed(toolkit, orderMessage(), { digest: 'sha1' }))).toBe('ALGORITHM_DENIED');
    expect(await outcome(() => signed(toolkit, orderMessage(), { algorithm: 'ecdsa-sha256' }))).toBe(
      'KEY_TOO_WEAK',
    );
    expect(await outcome(() => signed(toolkit, orderMessage(), { parts: [] }))).toBe('PART_MISSING');
  });
});

describe('whom it trusts', () => {
  it.each([
    ['other', 'CERTIFICATE_UNTRUSTED'],
    ['self-signed', 'CERTIFICATE_UNTRUSTED'],
    ['expired', 'CERTIFICATE_EXPIRED'],
    ['not-yet-valid', 'CERTIFICATE_NOT_YET_VALID'],
    ['wrong-usage', 'CERTIFICATE_USAGE'],
    ['client', 'accepted'],
    ['no-ski', 'accepted'],
  ] as const)('judges the signer %s: %s', async (key, code) => {
    const message = await signed(toolkit, orderMessage(), { key });
    expect(await outcome(() => verified(toolkit, message))).toBe(code);
  });

  it('takes a pinned self-signed certificate', async () => {
    const message = await signed(toolkit, orderMessage(), { key: 'self-signed' });
    verified(toolkit, message, { trust: testTrust(toolkit, 'self-signed') });
  });

  it('takes only the subjects that are named', async () => {
    const message = await signed(toolkit, orderMessage(), { key: 'server' });
    const server = testKey('server').certificate.subject.toString();
    const client = testKey('client').certificate.subject.toString();
    expect(await outcome(() => verified(toolkit, message, { trust: subjectTrust(toolkit, server) }))).toBe(
      'accepted',
    );
    expect(await outcome(() => verified(toolkit, message, { trust: subjectTrust(toolkit, client) }))).toBe(
      'CERTIFICATE_SUBJECT',
    );
  });

  it('finds no certificate that is neither sent nor configured', async () => {
    const message = await signed(toolkit, orderMessage(), { reference: 'thumbprint' });
    expect(await outcome(() => verified(toolkit, message))).toBe('TOKEN_UNAVAILABLE');
    verified(toolkit, message, { trust: testTrust(toolkit, 'client') });
  });

  it('refuses a SKI that two configured certificates have', async () => {
    const message = await signed(toolkit, orderMessage(), { reference: 'ski' });
    const trust = testTrust(toolkit, 'client', 'wrong-usage');
    expect(await outcome(() => verified(toolkit, message, { trust }))).toBe('TOKEN_AMBIGUOUS');
  });
});

describe('what it accepts of the sender', () => {
  const mutate = async (change: (message: string) => string, allow: string[] = []): Promise<string> => {
    const kit = await testToolkit({ allow });
    const message = await signed(kit, orderMessage());
    const changed = change(message);
    expect(changed).not.toBe(message);
    expect(await outcome(() => verified(kit, message))).toBe('accepted');
    return outcome(() => verified(kit, changed));
  };
  const uri = 'Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"';
  const exc = '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:Transform>';

  it.each<[string, (message: string) => string, string]>([
    ['a changed Body', (m) => m.replace('nut', 'bolt'), 'DIGEST_MISMATCH'],
    ['a changed Timestamp', (m) => m.replace('12:05:00Z', '12:06:00Z'), 'DIGEST_MISMATCH'],
    ['a changed SignatureValue', (m) => m.replace(/(SignatureValue>)(....)/, '$1AAAA'), 'SIGNATURE_INVALID'],
    ['an empty SignatureValue', (m) => m.replace(/(SignatureValue>)[^<]+/, '$1'), 'SIGNATURE_INVALID'],
    ['junk in the SignatureValue', (m) => m.replace(/(SignatureValue>)/, '$1*'), 'XML_BASE64'],
    [
      'a comment in the DigestValue',
      (m) => m.replace('<ds:DigestValue>', '<ds:DigestValue><!---->'),
      'XML_NOT_TEXT',
    ],
    ['a changed DigestValue', (m) => m.replace(/(DigestValue>)(....)/, '$1AAAA'), 'SIGNATURE_INVALID'],
    ['a truncated DigestValue', (m) => m.replace(/(DigestValue>)[^<]+/, '$1AAAA'), 'SECURITY_STRUCTURE'],
    ['an unknown SignatureMethod', (m) => m.replace(uri, 'Algorithm="none"'), 'ALGORITHM_UNKNOWN'],
    ['an empty SignatureMethod', (m) => m.replace(uri, 'Algorithm=""'), 'ALGORITHM_UNKNOWN'],
    ['no Algorithm', (m) => m.replace(` ${uri}`, ''), 'SECURITY_STRUCTURE'],
    ['rsa-sha1', (m) => m.replace(uri, `Algorithm="${ns.ds}rsa-sha1"`), 'ALGORITHM_DENIED'],
    ['an HMAC (SIG-03)', (m) => m.replace('rsa-sha256', 'hmac-sha256'), 'KEY_TOO_WEAK'],
    ['ECDSA with an RSA key', (m) => m.replace('rsa-sha256', 'ecdsa-sha256'), 'KEY_TOO_WEAK'],
    [
      'HMACOutputLength (SIG-02)',
      (m) => m.replace(`${uri}>`, `${uri}><ds:HMACOutputLength>8</ds:HMACOutputLength>`),
      'ALGORITHM_DENIED',
    ],
    ['an md5 digest', (m) => m.replace(/xmlenc#sha256/, 'xmldsig-more#md5'), 'ALGORITHM_UNKNOWN'],
    [
      'a sha1 digest',
      (m) => m.replace('http://www.w3.org/2001/04/xmlenc#sha256', `${ns.ds}sha1`),
      'ALGORITHM_DENIED',
    ],
    ['no Reference (XSW-21)', (m) => m.replace(/<ds:Reference.*<\/ds:Reference>/s, ''), 'SECURITY_STRUCTURE'],
    ['no KeyInfo', (m) => m.replace(/<ds:KeyInfo>.*<\/ds:KeyInfo>/s, ''), 'SECURITY_STRUCTURE'],
    ['an empty KeyInfo', (m) => m.replace(/(<ds:KeyInfo>).*(<\/ds:KeyInfo>)/s, '$1$2'), 'SECURITY_STRUCTURE'],
    [
      'a KeyName',
      (m) => m.replace(/(<ds:KeyInfo>).*(<\/ds:KeyInfo>)/s, '$1<ds:KeyName>client</ds:KeyName>$2'),
      'TOKEN_UNSUPPORTED',
    ],
    [
      'a KeyValue (SIG-04)',
      (m) =>
        m.replace(/(<ds:KeyInfo>).*(<\/ds:KeyInfo>)/s, '$1<ds:KeyValue><ds:RSAKeyValue/></ds:KeyValue>$2'),
      'TOKEN_UNSUPPORTED',
    ],
    [
      'a RetrievalMethod (SIG-06)',
      (m) => m.replace(/(<ds:KeyInfo>).*(<\/ds:KeyInfo>)/s, '$1<ds:RetrievalMethod URI="http://h/"/>$2'),
      'REFERENCE_FORBIDDEN',
    ],
    [
      'a KeyName beside the reference',
      (m) => m.replace('<ds:KeyInfo>', '<ds:KeyInfo><ds:KeyName/>'),
      'SECURITY_STRUCTURE',
    ],
    ['an Object', (m) => m.replace('</ds:Signature>', '<ds:Object/></ds:Signature>'), 'SECURITY_STRUCTURE'],
    [
      'a second SignedInfo (XSW-12)',
      (m) => m.replace(/(<ds:SignedInfo>.*<\/ds:SignedInfo>)/s, '$1$1'),
      'SECURITY_STRUCTURE',
    ],
    ['text in the Signature', (m) => m.replace('<ds:KeyInfo>', 'x<ds:KeyInfo>'), 'SECURITY_STRUCTURE'],
    [
      'an attribute on Reference',
      (m) => m.replace('<ds:Reference ', '<ds:Reference X="" '),
      'SECURITY_STRUCTURE',
    ],
    [
      'a Manifest (XSW-24)',
      (m) => m.replace('<ds:Reference ', `<ds:Reference Type="${ns.ds}Manifest" `),
      'REFERENCE_FORBIDDEN',
    ],
    ['no transforms', (m) => m.replace(/<ds:Transforms>.*?<\/ds:Transforms>/s, ''), 'TRANSFORM_DENIED'],
    ['empty Transforms', (m) => m.replace(exc, ''), 'SECURITY_STRUCTURE'],
    ['two canonicalisations', (m) => m.replace(exc, exc + exc), 'TRANSFORM_DENIED'],
    ['six transforms (SIG-13)', (m) => m.replace(exc, exc.repeat(6)), 'SECURITY_LIMIT'],
    [
      'a foreign Reference',
      (m) =>
        m
          .replace(/<ds:Reference /, '<x:Reference xmlns:x="urn:x" ')
          .replace('</ds:Reference>', '</x:Reference>'),
      'SECURITY_STRUCTURE',
    ],
    [
      '31 references (SIG-12)',
      (m) => m.replace(/(<ds:Reference .*?<\/ds:Reference>)/s, '$1'.repeat(30)),
      'SECURITY_LIMIT',
    ],
  ])('refuses %s', async (_, change, code) => {
    expect(await mutate(change)).toBe(code);
  });

  it.each([
    'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
    'http://www.w3.org/TR/1999/REC-xslt-19991116',
    'http://www.w3.org/TR/1999/REC-xpath-19991116',
    'http://www.w3.org/2002/06/xmldsig-filter2',
    'http://www.w3.org/2000/09/xmldsig#base64',
    'http://www.w3.org/2002/07/decrypt#XML',
    'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
    'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
    'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform',
    '',
  ])('refuses the transform %j, and as CanonicalizationMethod too (SIG-08 to SIG-11)', async (algorithm) => {
    const transform = `<ds:Transform Algorithm="${algorithm}">`;
    const method = `<ds:CanonicalizationMethod Algorithm="${algorithm}">`;
    expect(await mutate((m) => m.replace(/<ds:Transform [^>]*>/, transform))).toBe('TRANSFORM_DENIED');
    expect(await mutate((m) => m.replace(/<ds:CanonicalizationMethod [^>]*>/, method))).toBe(
      'TRANSFORM_DENIED',
    );
  });

  it.each([
    '',
    '#',
    '# ',
    '#xpointer(/)',
    "#xpointer(id('x'))",
    '#%62ody',
    '#a b',
    'http://host/x',
    'https://host/x',
    'ftp://host/x',
    'file:///etc/passwd',
    'data:,x',
    'jar:file:x!/y',
    'gopher://x',
    '//host/x',
    'x.xml',
    'cid:part',
  ])('refuses the reference %j (SIG-07, XSW-11, XSW-17)', async (reference) => {
    expect(await mutate((m) => m.replace(/URI="#id-[^"]*"/, `URI="${reference}"`))).toBe(
      'REFERENCE_FORBIDDEN',
    );
  });

  it('refuses a reference without URI (XSW-17)', async () => {
    expect(await mutate((m) => m.replace(/ URI="#id-[^"]*"/, ''))).toBe('REFERENCE_FORBIDDEN');
  });

  it('reads exceptions of the policy, and counts them', async () => {
    const seen: string[] = [];
    const kit = await testToolkit({
      allow: ['rsa-sha1 until 2027-06-30', 'sha1 for verify', 'sha1 for sign'],
      onException: ({ id, use }) => seen.push(`${id} ${use}`),
    });
    const message = await signed(kit, orderMessage(), {
      algorithm: 'rsa-sha1',
      digest: 'sha1',
      parts: ['body'],
    });
    seen.length = 0;
    verified(kit, message, { parts: ['body'] });
    expect(seen.toSorted()).toEqual(['rsa-sha1 verify', 'sha1 verify']);
    const later = await testToolkit({ allow: ['rsa-sha1 until 2026-06-30', 'sha1'] });
    expect(await outcome(() => verified(later, message, { parts: ['body'] }))).toBe('ALGORITHM_EXPIRED');
  });
});

describe('budgets', () => {
  it('refuses to canonicalise more than a multiple of the envelope limit (SIG-14)', async () => {
    const nested = '<o:a xmlns:o="urn:orders">'.repeat(20) + 'x'.repeat(5000) + '</o:a>'.repeat(20);
    const kit = await testToolkit({ limits: { envelope: 20_000, canonical: 4 } });
    const part = (depth: number): string => `body${'/o:a'.repeat(depth)}`;
    const few = await signed(kit, orderMessage(nested), { parts: [part(1), part(2)] });
    expect(await outcome(() => verified(kit, few, { parts: [part(1)] }))).toBe('accepted');
    const many = await signed(kit, orderMessage(nested), {
      parts: Array.from({ length: 20 }, (_, at) => part(at + 1)),
    });
    expect(await outcome(() => verified(kit, many, { parts: [part(1)] }))).toBe('SECURITY_LIMIT');
  });
});
