/** Attribute types of distinguished names: what they are called, and what other software calls them. */

/** Printed by their short name everywhere: RFC 4514 §3 and RFC 2253 §2.3, which Java follows to the letter. */
const standard: readonly (readonly [oid: string, name: string])[] = [
  ['2.5.4.3', 'CN'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.6', 'C'],
  ['2.5.4.9', 'STREET'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
];

/** Printed by name for operators only; in XML they are a dotted OID with a `#` hex value. */
const further: readonly (readonly [oid: string, name: string])[] = [
  ['1.2.840.113549.1.9.1', 'emailAddress'],
  ['2.5.4.5', 'serialNumber'],
  ['2.5.4.4', 'SN'],
  ['2.5.4.42', 'GN'],
  ['2.5.4.12', 'title'],
  ['2.5.4.13', 'description'],
  ['2.5.4.15', 'businessCategory'],
  ['2.5.4.17', 'postalCode'],
  ['2.5.4.43', 'initials'],
  ['2.5.4.44', 'generationQualifier'],
  ['2.5.4.46', 'dnQualifier'],
  ['2.5.4.65', 'pseudonym'],
  ['2.5.4.97', 'organizationIdentifier'],
];

/** What other software writes: Java (EMAILADDRESS, SURNAME, T, S), .NET (E, S, G), OpenSSL (emailAddress). */
const aliases: readonly (readonly [name: string, oid: string])[] = [
  ['E', '1.2.840.113549.1.9.1'],
  ['EMAIL', '1.2.840.113549.1.9.1'],
  ['S', '2.5.4.8'],
  ['SP', '2.5.4.8'],
  ['SURNAME', '2.5.4.4'],
  ['G', '2.5.4.42'],
  ['GIVENNAME', '2.5.4.42'],
  ['T', '2.5.4.12'],
  ['I', '2.5.4.43'],
  ['GENERATION', '2.5.4.44'],
  ['DNQ', '2.5.4.46'],
  ['COMMONNAME', '2.5.4.3'],
  ['LOCALITYNAME', '2.5.4.7'],
  ['STATEORPROVINCENAME', '2.5.4.8'],
  ['ORGANIZATIONNAME', '2.5.4.10'],
  ['ORGANIZATIONALUNITNAME', '2.5.4.11'],
  ['COUNTRYNAME', '2.5.4.6'],
  ['STREETADDRESS', '2.5.4.9'],
  ['DOMAINCOMPONENT', '0.9.2342.19200300.100.1.25'],
  ['USERID', '0.9.2342.19200300.100.1.1'],
];

/** Short names that RFC 4514 and RFC 2253 require of every reader. */
export const standardNames: ReadonlyMap<string, string> = new Map(standard);

/** Short names for people. */
export const friendlyNames: ReadonlyMap<string, string> = new Map([...standard, ...further]);

const byName: ReadonlyMap<string, string> = new Map([
  ...[...standard, ...further].map(([oid, name]) => [name.toUpperCase(), oid] as const),
  ...aliases,
]);

/**
 * The OID of an attribute type as XML peers and policies write it: a short name in any letter case, or a dotted OID with
 * or without `OID.` in front (RFC 1779). Undefined when it is neither.
 */
export function attributeOid(name: string): string | undefined {
  const upper = name.toUpperCase();
  const dotted = upper.startsWith('OID.') ? upper.slice(4) : upper;
  return /^[0-2](\.(0|[1-9]\d*))+$/.test(dotted) ? dotted : byName.get(upper);
}
