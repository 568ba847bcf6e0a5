import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fixedClock } from '#src/core/clock.js';
import {
  loadConfig,
  renderDiagnostic,
  shortName,
  type Diagnostic,
  type LoadedConfig,
} from '#src/policy/index.js';
import { tables } from './tables.js';

/** Fixed: 2026-12-01T00:00:00Z. */
export const clock = fixedClock(1_796_083_200_000);

/** Files by name in a folder of their own, for the time of `work`. */
export function withFiles<T>(files: Readonly<Record<string, string>>, work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-policy-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Loaded extends LoadedConfig {
  /** `file:line:col CODE` of each finding. */
  readonly lines: string[];
  /** As the command line prints them. */
  readonly text: string;
}

/** Loads `gateway.yaml` and its services. */
export function load(
  files: Readonly<Record<string, string>>,
  options: { provider?: 'js' | 'openssl' | 'pkcs11'; workers?: number } = {},
): Loaded {
  return withFiles(files, (folder) => {
    const loaded = loadConfig(join(folder, 'gateway.yaml'), { tables, clock, ...options });
    const show = (file: string): string => shortName(file, folder);
    const line = ({ at, code }: Diagnostic): string => `${show(at.file)}:${at.line}:${at.column} ${code}`;
    return {
      ...loaded,
      lines: loaded.diagnostics.map(line),
      text: loaded.diagnostics
        .map((each) => renderDiagnostic(each, show).replaceAll(`${folder}/`, ''))
        .join('\n'),
    };
  });
}

/** A gateway and a service without a flaw. */
export const gateway = `keys:
  client: { store: pem, certificate: client.pem, key: client.key }
  partner: { store: pem, certificate: partner.pem }
trust:
  partners: { anchors: [ca.pem], subjects: ["CN=partner,O=Acme"] }
`;

export const service = `path: /orders
upstream: http://127.0.0.1:8081/orders
request:
  - timestamp
  - sign: { key: client, parts: [timestamp, body] }
  - encrypt: { to: partner, parts: [body/content] }
response:
  steps:
    - decrypt: { key: client, parts: [body/content] }
    - verify: { trust: partners, parts: [timestamp, body] }
    - check-timestamp
    - replay
`;

/** The good gateway with another gateway file. */
export const withGateway = (text: string): Loaded => load({ 'gateway.yaml': text });

/** The good gateway with another service file. */
export const withService = (text: string): Loaded =>
  load({ 'gateway.yaml': gateway, 'services/orders.yaml': text });

/** The good gateway with a service whose request chain is this. */
export const withRequest = (steps: string): Loaded =>
  withService(`path: /orders\nupstream: http://127.0.0.1:8081/orders\nresponse: []\nrequest:\n${steps}`);
