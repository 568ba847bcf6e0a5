import { describe, expect, it } from '@jest/globals';
import { findEnvelope, NONE, ns } from '#src/xml/index.js';
import { codeOf, parse } from './support.js';

const envelope = (content: string, namespace: string = ns.soap11): string =>
  `<s:Envelope xmlns:s="${namespace}" xmlns:o="urn:o" xmlns:s2="${ns.soap12}" xmlns:x="${ns.xenc}">${content}</s:Envelope>`;

describe('a SOAP envelope', () => {
  it('is found by position', () => {
    for (const [namespace, version] of [
      [ns.soap11, '1.1'],
      [ns.soap12, '1.2'],
    ] as const) {
      const document = parse(envelope('\n<s:Header><o:h/></s:Header>\n<s:Body/><!-- -->', namespace));
      expect(findEnvelope(document)).toEqual({ version, namespace, root: 0, header: 1, body: 3 });
      expect(findEnvelope(parse(envelope('<s:Body/>', namespace))).header).toBe(NONE);
    }
  });

  it.each([
    ['another root', '<a/>', 'NOT_SOAP'],
    ['an unknown version', envelope('<s:Body/>', 'urn:soap'), 'SOAP_VERSION'],
    ['no Body', envelope('<s:Header/>'), 'SOAP_STRUCTURE'],
    ['nothing', envelope(''), 'SOAP_STRUCTURE'],
    ['two Bodies', envelope('<s:Body/><s:Body/>'), 'SOAP_STRUCTURE'],
    ['two Headers', envelope('<s:Header/><s:Header/><s:Body/>'), 'SOAP_STRUCTURE'],
    ['a Header after the Body', envelope('<s:Body/><s:Header/>'), 'SOAP_STRUCTURE'],
    ['something after the Body', envelope('<s:Body/><o:x/>'), 'SOAP_STRUCTURE'],
    ['something before the Header', envelope('<o:x/><s:Header/><s:Body/>'), 'SOAP_STRUCTURE'],
    ['a Body of the other version', envelope('<s2:Body/>'), 'SOAP_STRUCTURE'],
    ['a Body of no namespace', envelope('<Body/>'), 'SOAP_STRUCTURE'],
    ['text', envelope('x<s:Body/>'), 'SOAP_STRUCTURE'],
    ['text in the Header', envelope('<s:Header>x</s:Header><s:Body/>'), 'SOAP_STRUCTURE'],
    ['an encrypted Body', envelope('<x:EncryptedData/>'), 'SOAP_STRUCTURE'],
  ])('is refused with %s', (_what, text, code) => {
    expect(codeOf(() => findEnvelope(parse(text)))).toBe(code);
  });

  it('may have its Body encrypted where that is asked for', () => {
    expect(findEnvelope(parse(envelope('<s:Header/><x:EncryptedData/>')), { encryptedBody: true }).body).toBe(
      2,
    );
    expect(codeOf(() => findEnvelope(parse(envelope('<o:EncryptedData/>')), { encryptedBody: true }))).toBe(
      'SOAP_STRUCTURE',
    );
  });
});
