/** Reads file homes and certificate files, and says which key and file a failure is about. */
import { wipe } from '../../core/bytes.js';
import { CountersignError, isCountersignError } from '../../core/errors.js';
import { parseCertificate } from '../../pki/certificate.js';
import { tags } from '../../pki/der.js';
import type { Certificate } from '../../pki/types.js';
import { storeError } from './failures.js';
import { readKeyFile } from './files.js';
import type { FileHomeInput, SecretValue } from './homes.js';
import type { KeyMaterial } from './material.js';
import { readPem, readPemCertificates, readPemKey } from './pem.js';
import { readPkcs12 } from './pkcs12.js';
import { chainOf, fits, type Selected, selectEntry } from './select.js';

/**
 * Opens a file home.
 *
 * @param name the key's name, for errors
 * @throws CountersignError KEY_…; what the secret throws
 */
export async function readFileHome(name: string, home: FileHomeInput): Promise<Selected> {
  if (home.store === 'p12') {
    return about(name, home.file, async () => {
      const material = await readPkcs12(await readKeyFile(home.file), secret(home.password));
      return selectEntry(material, home.alias);
    });
  }
  const { certificate, chain } = await about(name, home.certificate, async () =>
    pemChain(await readKeyFile(home.certificate)),
  );
  const keyFile = home.key;
  if (keyFile === undefined) return { certificate, chain, pkcs8: undefined };
  return about(name, keyFile, async () => {
    const pkcs8 = await readPemKey(await readKeyFile(keyFile), secret(home.password));
    if (!fits({ pkcs8 }, certificate)) {
      wipe(pkcs8);
      throw storeError('KEY_MISMATCH', `does not fit the certificate in ${home.certificate}`);
    }
    return { certificate, chain, pkcs8 };
  });
}

/**
 * Everything in a file, whatever its form: PEM, one DER certificate, PKCS#12.
 *
 * @throws CountersignError KEY_… naming the file
 */
export async function readAnyFile(file: string, password: string | undefined): Promise<KeyMaterial> {
  return about(undefined, file, async () => {
    const bytes = await readKeyFile(file);
    if (bytes[0] !== tags.sequence) return readPem(bytes, password);
    const certificate = { der: bytes, alias: undefined, id: undefined };
    return isCertificate(bytes) ? { keys: [], certificates: [certificate] } : readPkcs12(bytes, password);
  });
}

/**
 * All certificates of a PEM (or DER) file: anchors, pinned certificates.
 *
 * @throws CountersignError KEY_FILE_UNREADABLE, KEY_FILE_MALFORMED naming the file
 */
export async function readCertificates(file: string): Promise<Certificate[]> {
  return about(undefined, file, async () =>
    readPemCertificates(await readKeyFile(file)).map((der) => parseCertificate(der)),
  );
}

/** A PEM certificate file of a key: the leaf first, its issuers in any order. */
function pemChain(bytes: Uint8Array): { certificate: Certificate; chain: Certificate[] } {
  const [certificate, ...others] = readPemCertificates(bytes).map((der) => parseCertificate(der));
  if (certificate === undefined) throw storeError('KEY_FILE_MALFORMED', 'holds no certificate');
  return { certificate, chain: chainOf(certificate, others) };
}

function isCertificate(bytes: Uint8Array): boolean {
  try {
    parseCertificate(bytes);
    return true;
  } catch (error) {
    if (isCountersignError(error)) return false;
    throw error;
  }
}

function secret(value: SecretValue | undefined): string | undefined {
  return value === undefined ? undefined : value();
}

/** Runs `work`; its failures name the key and the file, and are start-up failures. */
async function about<T>(name: string | undefined, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    if (error.code === 'SECRET_UNAVAILABLE') throw error;
    const code = error.code === 'CERTIFICATE_MALFORMED' ? 'KEY_FILE_MALFORMED' : error.code;
    const problem =
      error.code === 'CERTIFICATE_MALFORMED'
        ? `holds a certificate that cannot be read: ${error.message}`
        : error.message;
    const subject = name === undefined ? file : `key ${name}: ${file}`;
    throw new CountersignError(code, `${subject} ${problem}`, {
      cause: error.cause,
      details: { ...error.details, file, ...(name === undefined ? {} : { key: name }) },
    });
  }
}
