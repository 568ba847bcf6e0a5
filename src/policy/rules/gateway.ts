/** What must hold of the gateway file beyond its shape (design/policy.md, The gateway). */
import { isCountersignError } from '../../core/errors.js';
import { parseName } from '../../pki/index.js';
import { parsePkcs11Uri } from '../../providers/index.js';
import { nearestName } from '../diagnostics.js';
import { oneOf, type Finding } from '../issues.js';
import { isLoopback } from '../schema/common.js';
import type { GatewayShape, HsmShape, KeyShape, TrustShape } from '../schema/shapes.js';
import type { Path } from '../source.js';

/** Findings that need nothing but the gateway file. */
export function gatewayRules(shape: GatewayShape): Finding[] {
  return [
    ...notAvailable(shape),
    ...Object.entries(shape.keys).flatMap(([name, key]) => keyRules(name, key)),
    ...Object.entries(shape.trust).flatMap(([name, trust]) => trustRules(name, trust)),
    ...listenerRules(shape),
  ];
}

function notAvailable(shape: GatewayShape): Finding[] {
  const findings: Finding[] = [];
  const later = (path: Path, what: string, help?: string): void => {
    findings.push({
      code: 'CONFIG_NOT_AVAILABLE',
      message: `${what} not available in this version`,
      path,
      key: true,
      help,
    });
  };
  if (shape.documents !== undefined) later(['documents'], 'documents are');
  if (shape.replay.store !== 'memory') {
    later(['replay', 'store'], `the replay store ${shape.replay.store} is`);
  }
  for (const [name, trust] of Object.entries(shape.trust)) {
    if (trust.crl !== undefined) later(['trust', name, 'crl'], 'certificate revocation lists are', crlHelp);
  }
  return findings;
}

/** Ignoring a list in silence would accept what it revokes. */
const crlHelp =
  'take crl out, knowing that revoked certificates are then accepted until they expire; certificates (pinned) can be taken out one by one';

function keyRules(name: string, key: KeyShape | readonly KeyShape[]): Finding[] {
  if (!isList(key)) return entryRules(key, ['keys', name]);
  return key.flatMap((entry, index) => entryRules(entry, ['keys', name, index]));
}

const isList = (value: KeyShape | readonly KeyShape[]): value is readonly KeyShape[] => Array.isArray(value);

/** Which keys belong to which store. */
const homeKeys = { p12: ['file', 'alias', 'password'], pem: ['certificate', 'key', 'password'] } as const;

function entryRules(entry: KeyShape, path: Path): Finding[] {
  const findings: Finding[] = [];
  const { store } = entry;
  const stray = (key: string, expected: string): void => {
    findings.push({
      code: 'CONFIG_INVALID',
      message: `"${key}" does not belong to ${store === undefined ? 'a key without a store' : `store: ${store}`}`,
      path: [...path, key],
      key: true,
      expected,
    });
  };
  const allowed: readonly string[] = store === undefined ? [] : homeKeys[store];
  for (const key of ['file', 'alias', 'certificate', 'key', 'password'] as const) {
    if (entry[key] === undefined || allowed.includes(key)) continue;
    const expected = store === undefined ? 'store: p12 or store: pem' : oneOf([...allowed]);
    stray(key, expected);
  }
  if (store === 'p12' && entry.file === undefined) findings.push(lacking(path, 'file', 'the PKCS#12 file'));
  if (store === 'pem' && entry.certificate === undefined) {
    findings.push(lacking(path, 'certificate', 'the PEM file of the certificate'));
  }
  if (store === undefined && entry.hsm === undefined && findings.length === 0) {
    findings.push({
      code: 'KEY_HOME_MISSING',
      message: `the key ${String(path[1])} has no home`,
      path,
      key: true,
      expected: 'store: p12, store: pem, hsm, or a store and hsm',
    });
  }
  const homes = entry.hsm === undefined ? [] : Array.isArray(entry.hsm) ? entry.hsm : [entry.hsm];
  const many = Array.isArray(entry.hsm);
  homes.forEach((home, index) => {
    findings.push(...hsmRules(home, many ? [...path, 'hsm', index] : [...path, 'hsm']));
  });
  return findings;
}

function hsmRules(home: HsmShape, path: Path): Finding[] {
  if (home.uri === undefined) {
    return (['token', 'label'] as const)
      .filter((key) => home[key] === undefined)
      .map((key) =>
        lacking(path, key, key === 'token' ? 'the label of the token, or uri' : 'the label of the key'),
      );
  }
  const twice = (['token', 'label'] as const)
    .filter((key) => home[key] !== undefined)
    .map((key) => ({
      code: 'CONFIG_INVALID' as const,
      message: `"${key}" says again what uri says`,
      path: [...path, key],
      key: true,
      expected: 'uri, or token and label',
    }));
  return [...uriRules(home.uri, [...path, 'uri']), ...twice];
}

function uriRules(uri: string, path: Path): Finding[] {
  try {
    parsePkcs11Uri(uri);
    return [];
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return [
      { code: error.code, message: error.message, path, expected: 'such as pkcs11:token=prod;object=client' },
    ];
  }
}

const lacking = (path: Path, key: string, what: string): Finding => ({
  code: 'CONFIG_INVALID',
  message: `"${key}" is missing`,
  path: [...path, key],
  expected: `${key}: ${what}`,
});

function trustRules(name: string, trust: TrustShape): Finding[] {
  const path = ['trust', name];
  const findings: Finding[] = [];
  if (trust.anchors === undefined && trust.certificates === undefined) {
    findings.push({
      code: 'CONFIG_INVALID',
      message: `the trust ${name} accepts nobody`,
      path,
      key: true,
      expected: 'anchors (CA certificates), certificates (pinned ones), or both',
    });
  }
  if (trust.anchors !== undefined && trust.subjects === undefined && !trust['any-subject']) {
    findings.push({
      code: 'TRUST_TOO_WIDE',
      message: 'these anchors accept every certificate that their CA ever issues',
      path: [...path, 'anchors'],
      key: true,
      expected: 'subjects: ["CN=…,O=…"], or any-subject: true',
    });
  }
  if (trust.subjects !== undefined && trust['any-subject']) {
    findings.push({
      code: 'POLICY_INVALID',
      message: 'subjects and any-subject: true contradict each other',
      path: [...path, 'any-subject'],
      key: true,
      expected: 'one of the two',
    });
  }
  trust.subjects?.forEach((subject, index) => {
    findings.push(...subjectRules(subject, [...path, 'subjects', index]));
  });
  return findings;
}

/** A subject is written as `keys inspect` prints it; one RDN is most often a common name somebody took for enough. */
function subjectRules(subject: string, path: Path): Finding[] {
  try {
    if (parseName(subject).length > 1) return [];
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return [
      {
        code: 'CONFIG_INVALID',
        message: error.message,
        path,
        expected: 'a subject such as CN=partner,O=Acme',
      },
    ];
  }
  return [
    {
      severity: 'warning',
      code: 'WARN_SHORT_SUBJECT',
      message: 'this subject has one RDN only, and subjects are compared complete',
      path,
      found: subject,
      help: '`countersign keys inspect FILE` prints the whole subject of a certificate; quote a subject that has commas',
    },
  ];
}

function listenerRules(shape: GatewayShape): Finding[] {
  const findings: Finding[] = [];
  const { listen, admin } = shape;
  if (!isLoopback(admin.host) && admin.bearer === undefined) {
    findings.push({
      code: 'CONFIG_OPEN_DOOR',
      message: 'the admin listener can be reached from other machines and asks for no token',
      path: ['admin', 'host'],
      expected: 'admin: { bearer: { env: NAME } }, or a loopback address',
      found: admin.host,
    });
  }
  if (listen.port !== 0 && listen.port === admin.port && listen.host === admin.host) {
    findings.push({
      code: 'POLICY_INVALID',
      message: 'both listeners have the same address',
      path: ['admin', 'port'],
      expected: 'another port',
      found: `${admin.host}:${admin.port}`,
    });
  }
  const key = listen.tls?.key;
  if (key !== undefined) findings.push(...tlsKeyRules(key, shape.keys, ['listen', 'tls', 'key']));
  return findings;
}

/** TLS keys stay in their file: the TLS stack takes no token. */
export function tlsKeyRules(
  name: string,
  keys: Readonly<Record<string, KeyShape | readonly KeyShape[]>>,
  path: Path,
): Finding[] {
  const known = Object.keys(keys);
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined) return [unknownName('key', name, known, path)];
  const entries = isList(key) ? key : [key];
  const usable = entries.some(
    (entry) => entry.store === 'p12' || (entry.store === 'pem' && entry.key !== undefined),
  );
  if (usable) return [];
  return [
    {
      code: 'KEY_HOME_MISSING',
      message: `TLS needs the private key of ${name} in a file`,
      path,
      expected: 'a key with store: p12, or store: pem with key',
    },
  ];
}

/** A name that is not in the gateway file. */
export function unknownName(what: string, name: string, known: readonly string[], path: Path): Finding {
  return {
    code: 'CONFIG_UNKNOWN_NAME',
    message: `there is no ${what} "${name}"`,
    path,
    expected: known.length === 0 ? `a ${what} of the gateway file (it has none)` : oneOf(known),
    nearest: nearestName(name, known),
  };
}
