/** Messages that CXF's own tests hold (third-party vectors), by the outcomes that their README lists. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { processOnce, root, writeConfig } from '../lab.mjs';

export const name = 'cxf';

const legacy = { profile: 'legacy', allow: ['rsa-1024 for certificate', 'rsa-sha1 for certificate'] };
const verify = (parts) => `verify: { trust: partners, parts: [${parts}], protection: any }`;
const decrypt = (parts) => `decrypt: { key: own, parts: [${parts}], unauthenticated-cbc: true }`;

/** `refused` names the code that a refusal must have; absent = accepted. */
const messages = [
  { file: 'encrypted_body_content', steps: [decrypt('body/content')] },
  { file: 'encrypted_body_element', steps: [decrypt('body')] },
  {
    file: 'encrypted_missing_enc_body',
    steps: [decrypt('body/content')],
    refused: ['PART_NOT_ENCRYPTED'],
    twin: [decrypt('')],
  },
  { file: 'signed_x509_issuer_serial', steps: [verify('body')] },
  { file: 'signed_x509_direct_ref', steps: [verify('body')] },
  {
    file: 'signed_x509_issuer_serial_missing_signed_body',
    steps: [verify('body')],
    refused: ['PART_NOT_SIGNED'],
    twin: [verify('')],
  },
  { file: 'signed_x509_issuer_serial_encrypted', steps: [decrypt('body/content'), verify('body')] },
  { file: 'wsse-response-fault', steps: [decrypt('body/content'), verify('body')] },
  {
    file: 'signed_invalid',
    steps: [verify('')],
    header: 'actor1',
    refused: ['TOKEN_UNSUPPORTED', 'DIGEST_MISMATCH', 'SIGNATURE_INVALID'],
  },
  { file: 'wsse-request-clean', steps: [] },
];

/** @returns the cases, or why there are none */
export async function cases(lab) {
  const folder = join(resolve(root, process.env.COUNTERSIGN_VECTORS ?? '../shared/vectors'), 'soap/cxf');
  if (!existsSync(folder)) return { missing: `vectors not found at ${folder} (set COUNTERSIGN_VECTORS)` };
  return {
    cases: messages.map((each) => ({
      name: each.refused === undefined ? each.file : `${each.file}, refused`,
      direction: 'CXF → Countersign',
      core: true,
      run: () => outcome(lab, folder, each),
    })),
  };
}

async function outcome(lab, folder, each) {
  const message = readFileSync(join(folder, `${each.file}.xml`));
  const found = await judge(lab, folder, each, each.steps, message);
  if (each.refused === undefined) return found.ok ? undefined : `refused: ${found.code} ${found.message}`;
  if (found.ok) return 'accepted, and must be refused';
  if (!each.refused.includes(found.code)) return `refused with ${found.code} (${found.message})`;
  if (each.twin === undefined) return undefined;
  const twin = await judge(lab, folder, each, each.twin, message);
  return twin.ok ? undefined : `without that requirement it is refused too: ${twin.code} ${twin.message}`;
}

async function judge(lab, folder, each, steps, message) {
  const store = join(folder, 'privatestore.p12');
  const password = join(lab.folder, 'cxf-password.txt');
  writeFileSync(password, 'password');
  const pinned = pinnedCertificate(lab, store);
  const config = writeConfig(lab, `cxf-${each.file}-${steps.length}-${steps.join('').length}`, {
    side: 'server',
    own: `{ store: p12, file: ${store}, password: { file: ${password} } }`,
    trust: `{ certificates: [${pinned}] }`,
    request: steps,
    response: [],
    header: each.header,
    ...legacy,
  });
  return processOnce(config, 'request', message);
}

/** The certificate of the vectors' key, as a PEM file. */
function pinnedCertificate(lab, store) {
  const file = join(lab.folder, 'cxf.pem');
  if (existsSync(file)) return file;
  for (const legacyFlag of [[], ['-legacy']]) {
    const made = spawnSync('openssl', [
      'pkcs12',
      ...legacyFlag,
      '-in',
      store,
      '-nokeys',
      '-passin',
      'pass:password',
      '-out',
      file,
    ]);
    if (made.status === 0) break;
  }
  return file;
}
