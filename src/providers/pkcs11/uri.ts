import { CountersignError } from '../../core/errors.js';

/** What a `pkcs11:` URI may say here. */
export interface Pkcs11Uri {
  readonly token?: string;
  /** Label of the key. */
  readonly object?: string;
  readonly module?: string;
}

const names: Readonly<Record<string, keyof Pkcs11Uri>> = { token: 'token', object: 'object' };
const queryNames: Readonly<Record<string, keyof Pkcs11Uri>> = { 'module-path': 'module' };

/**
 * Reads a PKCS#11 URI (RFC 7512): `pkcs11:token=prod;object=client?module-path=/usr/lib/…`. `type=private` is taken;
 * a PIN in it is refused, because policies are not secret; so is every attribute that would narrow the choice and
 * is not known here.
 *
 * @throws CountersignError CONFIG_INVALID
 */
export function parsePkcs11Uri(text: string): Pkcs11Uri {
  const match = /^pkcs11:(?<path>[^?#]*)(?:\?(?<query>[^#]*))?$/u.exec(text);
  if (match === null) throw bad('it does not have the form pkcs11:name=value;…');
  const { path = '', query } = match.groups ?? {};
  const values: { token?: string; object?: string; module?: string } = {};
  for (const [name, value] of pairs(path, ';')) {
    if (name === 'type' && value === 'private') continue;
    set(values, names[name], name, value);
  }
  for (const [name, value] of pairs(query ?? '', '&')) {
    if (name.startsWith('pin-'))
      throw bad('a PIN is given by `pin: { env: … }` or `pin: { file: … }`, not in the URI');
    set(values, queryNames[name], name, value);
  }
  return values;
}

function set(
  values: { token?: string; object?: string; module?: string },
  field: keyof Pkcs11Uri | undefined,
  name: string,
  value: string,
): void {
  if (field === undefined) throw bad(`attribute ${name} is not supported`);
  if (values[field] !== undefined) throw bad(`attribute ${name} stands twice`);
  values[field] = value;
}

function pairs(text: string, separator: string): [name: string, value: string][] {
  if (text === '') return [];
  return text.split(separator).map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw bad(`${pair === '' ? 'an attribute' : pair} has no value`);
    try {
      return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
    } catch {
      throw bad(`attribute ${pair.slice(0, at)} is not percent-encoded UTF-8`);
    }
  });
}

function bad(reason: string): CountersignError {
  return new CountersignError('CONFIG_INVALID', `not a usable pkcs11: URI: ${reason}`);
}
