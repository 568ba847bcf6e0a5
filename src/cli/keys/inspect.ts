/** `countersign keys inspect`. */
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../core/clock.js';
import { CountersignError } from '../../core/errors.js';
import { fileProblem } from '../../core/file-problem.js';
import { type Certificate, parseCertificate } from '../../pki/index.js';
import { readAnyFile } from '../../providers/stores/read.js';
import { fits } from '../../providers/stores/select.js';
import { certificateLines, type CertificateReport, describeCertificate } from './describe.js';

export interface InspectRequest {
  readonly files: readonly string[];
  readonly passwordFile: string | undefined;
  readonly json: boolean;
}

interface FileReport {
  readonly file: string;
  readonly certificates: readonly (CertificateReport & {
    readonly alias?: string;
    readonly privateKey: boolean;
  })[];
  /** Private keys without a certificate in the file. */
  readonly otherKeys: number;
}

/**
 * @returns the exit code
 * @throws CountersignError KEY_FILE_UNREADABLE, KEY_FILE_MALFORMED, KEY_PASSWORD_WRONG, KEY_PASSWORD_MISSING,
 *   SECRET_UNAVAILABLE
 */
export async function runInspect(request: InspectRequest, print: (line: string) => void): Promise<number> {
  const password = request.passwordFile === undefined ? undefined : await readPassword(request.passwordFile);
  const reports: FileReport[] = [];
  for (const file of request.files) reports.push(await inspectFile(file, password));
  if (request.json) print(JSON.stringify({ files: reports }, undefined, 2));
  else for (const line of reports.flatMap(textOf)) print(line);
  return 0;
}

async function inspectFile(file: string, password: string | undefined): Promise<FileReport> {
  const material = await readAnyFile(file, password);
  const now = systemClock.now();
  const paired = new Set<object>();
  const certificates = material.certificates.map(({ der, alias }) => {
    const certificate: Certificate = parseCertificate(der);
    const own = material.keys.filter((key) => fits(key, certificate));
    own.forEach((key) => paired.add(key));
    const name = alias ?? own.find((key) => key.alias !== undefined)?.alias;
    return {
      ...describeCertificate(certificate, now),
      privateKey: own.length > 0,
      ...(name === undefined ? {} : { alias: name }),
    };
  });
  return { file, certificates, otherKeys: material.keys.length - paired.size };
}

function textOf(report: FileReport): string[] {
  const lines = report.certificates.flatMap((certificate, index) => {
    const alias = certificate.alias === undefined ? '' : ` "${certificate.alias}"`;
    const key = certificate.privateKey ? ', with its private key' : '';
    return [
      `${index === 0 ? '' : '\n'}${report.file}: certificate${alias}${key}`,
      ...certificateLines(certificate),
    ];
  });
  if (report.otherKeys > 0)
    lines.push(`${report.file}: ${report.otherKeys} private key without a certificate in this file`);
  return [...lines, ''];
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (cause) {
    throw new CountersignError(
      'SECRET_UNAVAILABLE',
      `the secret file ${file} cannot be read: ${fileProblem(cause)}`,
      { cause },
    );
  }
}
