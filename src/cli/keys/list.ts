/** `countersign keys list`. */
import { policyTables } from '../../compose.js';
import { systemClock } from '../../core/clock.js';
import { CountersignError } from '../../core/errors.js';
import type { GatewayConfig } from '../../policy/config.js';
import { declareKey, type Diagnostic, loadConfig, renderDiagnostic } from '../../policy/index.js';
import type { KeyOpening, TokenOpener } from '../../providers/index.js';
import { tokenOpener } from '../../providers/index.js';
import { fileDigest } from '../../providers/openssl/key-files.js';
import { createOpenssl } from '../../providers/openssl/provider.js';
import { shown } from '../output.js';
import { providerOption } from '../provider-option.js';
import { collectRows, type ListRow } from './collect.js';
import { remaining } from './describe.js';

export interface ListRequest {
  readonly config: string;
  readonly provider: string | undefined;
  readonly json: boolean;
}

/**
 * Prints every certificate in reach.
 *
 * @returns 0; 1 when one has expired or cannot be read
 * @throws CountersignError USAGE; the first error of a gateway file that cannot be used
 */
export async function runList(request: ListRequest, print: (line: string) => void): Promise<number> {
  const provider = providerOption(request.provider);
  const loaded = loadConfig(request.config, { tables: policyTables(), clock: systemClock, provider });
  const { gateway, services } = loaded;
  if (gateway === undefined) throw unusable(request.config, loaded.diagnostics);
  const tokens = await openTokens(gateway);
  try {
    const source = {
      keys: [...gateway.keys.values()].map(declareKey),
      trusts: [...gateway.trust.values()],
      services,
      listenerKey: gateway.listen.tls?.key,
    };
    const rows = await collectRows(source, opening(gateway, tokens?.opener));
    if (request.json) print(JSON.stringify({ certificates: rows }, undefined, 2));
    else for (const line of rows.flatMap(textOf)) print(line);
    return rows.some((row) => row.certificate?.state !== 'valid') ? 1 : 0;
  } finally {
    await tokens?.close();
  }
}

/** The first error of the gateway file, as `check` words it. */
function unusable(config: string, diagnostics: readonly Diagnostic[]): CountersignError {
  const first = diagnostics.find(({ severity, service }) => severity === 'error' && service === undefined);
  if (first === undefined) return new CountersignError('CONFIG_INVALID', `${config} has errors`);
  return new CountersignError(first.code, renderDiagnostic(first, shown));
}

function opening(gateway: GatewayConfig, tokens: TokenOpener | undefined): KeyOpening {
  const openssl = createOpenssl();
  const { publicOperations, privateOperations } = openssl;
  if (publicOperations === undefined) throw new Error('the openssl provider has no public operations');
  return {
    provider: gateway.provider,
    public: publicOperations,
    private: privateOperations,
    tokens,
    now: systemClock.now(),
  };
}

/** Opens the pkcs11 provider only if some key of the configuration is on a token. */
async function openTokens(
  gateway: GatewayConfig,
): Promise<{ opener: TokenOpener; close: () => Promise<void> } | undefined> {
  const wanted = [...gateway.keys.values()].some((key) => key.entries.some((entry) => entry.hsm.length > 0));
  if (!wanted) return undefined;
  const { createPkcs11 } = await import('../../providers/pkcs11/provider.js');
  const provider = createPkcs11({ digest: fileDigest });
  return { opener: tokenOpener(provider), close: () => provider.close() };
}

function textOf(row: ListRow): string[] {
  const title = `${row.role === 'key' || row.role === 'chain' ? row.role : `trust, ${row.role},`} ${row.name}  (${row.home}${row.privateKey ? ', with private key' : ''})`;
  const uses = row.uses.length === 0 ? [] : [`  used by  ${row.uses.join('; ')}`];
  const { certificate, problem } = row;
  if (certificate === undefined)
    return [title, ...uses, `  ${problem?.code ?? ''}: ${problem?.message ?? ''}`, ''];
  return [
    title,
    `  subject  ${certificate.subject}`,
    ...uses,
    `  expires  ${certificate.notAfter} (${remaining(certificate)})   ${certificate.key}`,
    `  sha1     ${certificate.sha1}`,
    `  sha256   ${certificate.sha256}`,
    '',
  ];
}
