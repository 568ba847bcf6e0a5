/** `countersign keys list`. */
import { policyTables } from '../../compose.js';
import { systemClock } from '../../core/clock.js';
import type { GatewayConfig } from '../../policy/config.js';
import { declareKey, isError, loadConfig, renderDiagnostic } from '../../policy/index.js';
import type { KeyOpening, TokenOpener } from '../../providers/index.js';
import { tokenOpener } from '../../providers/index.js';
import { fileDigest } from '../../providers/openssl/key-files.js';
import { createOpenssl } from '../../providers/openssl/provider.js';
import { complain, exitOfErrors, shown } from '../output.js';
import { providerOption } from '../provider-option.js';
import { collectRows, type ListRow } from './collect.js';
import { remaining } from './describe.js';
import { readLastUses } from './last-use.js';

export interface ListRequest {
  readonly config: string;
  readonly provider: string | undefined;
  /** Logs of the gateway, which say when a key or a trust was last used. */
  readonly logs: readonly string[];
  readonly json: boolean;
}

/**
 * Prints every certificate in reach.
 *
 * @returns 0; 1 when one has expired or cannot be read; 2 or 3 when the gateway file has errors
 * @throws CountersignError USAGE
 */
export async function runList(request: ListRequest, print: (line: string) => void): Promise<number> {
  const provider = providerOption(request.provider);
  const loaded = loadConfig(request.config, { tables: policyTables(), clock: systemClock, provider });
  const { gateway, services } = loaded;
  const errors = loaded.diagnostics.filter(isError);
  for (const error of errors) complain(renderDiagnostic(error, shown));
  if (gateway === undefined) return exitOfErrors(errors);
  const lastUses = await readLastUses(request.logs);
  const tokens = await openTokens(gateway);
  try {
    const source = {
      keys: [...gateway.keys.values()].map(declareKey),
      trusts: [...gateway.trust.values()],
      services,
      listenerKey: gateway.listen.tls?.key,
      lastUses,
    };
    const rows = await collectRows(source, opening(gateway, tokens?.opener));
    if (request.json) print(JSON.stringify({ certificates: rows }, undefined, 2));
    else for (const line of rows.flatMap((row) => textOf(row, request.logs.length > 0))) print(line);
    return rows.some((row) => row.certificate?.state !== 'valid') ? 1 : 0;
  } finally {
    await tokens?.close();
  }
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

/** @param withLog whether there was a log to tell the last use */
function textOf(row: ListRow, withLog: boolean): string[] {
  const title = `${row.role === 'key' || row.role === 'chain' ? row.role : `trust, ${row.role},`} ${row.name}  (${row.home}${row.privateKey ? ', with private key' : ''})`;
  const uses = row.uses.length === 0 ? [] : [`  used by  ${row.uses.join('; ')}`];
  const known = row.lastUse ?? (withLog ? 'none in this log' : 'name the log of the gateway: --log FILE');
  if (row.role !== 'chain') uses.push(`  last use ${known}`);
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
