/** `process`: one chain over one message. */
import { readFileSync } from 'node:fs';
import { compose, type Composition } from '../compose.js';
import { fixedClock, systemClock, type Clock } from '../core/clock.js';
import { CountersignError, isCountersignError } from '../core/errors.js';
import { fileProblem } from '../core/file-problem.js';
import { createRandom } from '../core/random.js';
import { StepTimer } from '../core/timer.js';
import {
  gatewayFault,
  newExchange,
  operatorLine,
  refusalFields,
  runChain,
  secureFault,
  timingRecord,
  type Chain,
  type ChainKind,
  type Exchange,
  type RefusalFields,
  type TimingRecord,
} from '../pipeline/index.js';
import { isReasonFor, renderDiagnostic, type Diagnostic } from '../policy/diagnostics.js';
import { readCertificates } from '../providers/index.js';
import { idSource } from '../server/ids.js';
import { MemoryReplayStore } from '../stores/index.js';
import type { ReplayStore } from '../wss/replay.js';
import { parseTime } from '../wss/timestamp.js';
import { medianRecord } from './median-record.js';
import { noSuchService } from './no-such-service.js';
import { complain, exitOf, exitOfCode, exits, shown } from './output.js';
import type { ProcessOptions } from './process-options.js';
import { providerOption } from './provider-option.js';

/** Runs before the medians are taken: the machine's caches and the compiler have then seen the work. */
const WARM_UP = 20;

/** A service and what its chains run with. */
interface Setting {
  readonly service: string;
  readonly kind: ChainKind;
  readonly chains: { readonly request: Chain | undefined; readonly response: Chain | undefined };
  readonly clock: Clock;
  readonly newId: () => string;
  readonly provider: string;
  /** Forgets what was claimed: each run is the first one. */
  readonly freshStore: () => void;
}

/** What one run gave. */
export interface Outcome {
  readonly bytes: Uint8Array;
  readonly record: TimingRecord;
  /** The operator's line of a message that was refused, or would have been. */
  readonly line: string | undefined;
  /** The same as fields. */
  readonly refusal: (RefusalFields & { readonly msg: 'refused' | 'observed' }) | undefined;
  /** The exit code. */
  readonly exit: number;
}

/** What a run gave: one outcome for each repetition, or why the service cannot run. */
export interface Processed {
  readonly outcomes: readonly Outcome[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a message from standard input, writes what the chain makes of it to standard output.
 *
 * @returns the exit code
 * @throws CountersignError USAGE, and what opening the configuration throws
 */
export async function processMessage(options: ProcessOptions): Promise<number> {
  const { outcomes, diagnostics } = await processBytes(options, () => readFileSync(0));
  if (outcomes.length > 0) {
    const exit = report(outcomes, options);
    if (options.request === undefined && options.peer === undefined) hint(outcomes);
    return exit;
  }
  for (const diagnostic of diagnostics) complain(renderDiagnostic(diagnostic, shown));
  return Math.max(exits.configuration, ...diagnostics.map(({ code }) => exitOfCode(code)));
}

/**
 * The same without standard input and output.
 *
 * @param read gives the message, once the configuration is found good
 * @throws CountersignError USAGE, and what opening the configuration throws
 */
export async function processBytes(options: ProcessOptions, read: () => Uint8Array): Promise<Processed> {
  const kind = chainKind(options.chain);
  const repeat = count(options.repeat);
  const clock = clockOf(options.clock);
  const store = resettable(clock);
  const { config, service } = options;
  const composition = await compose({ config, provider: providerOption(options.provider), clock, store });
  try {
    const setting = settingOf(composition, { service, kind, clock, freshStore: store.reset });
    if (setting === undefined) return { outcomes: [], diagnostics: refusals(composition, service) };
    const prepare = await requestSide(setting, options);
    return { outcomes: await runs(setting, { message: read(), prepare, repeat }), diagnostics: [] };
  } finally {
    await composition.close();
  }
}

function chainKind(text: string): ChainKind {
  if (text === 'request' || text === 'response') return text;
  throw new CountersignError('USAGE', `--chain is request or response, not ${text}`);
}

function count(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new CountersignError('USAGE', `--repeat takes a number from 1 to 999999, not ${text}`);
}

function clockOf(text: string | undefined): Clock {
  if (text === undefined) return systemClock;
  const time = parseTime(text);
  if (time !== undefined) return fixedClock(time);
  throw new CountersignError('USAGE', `--clock takes a UTC time such as 2026-11-30T12:00:00Z, not ${text}`);
}

function resettable(clock: Clock): ReplayStore & { readonly reset: () => void } {
  let store = new MemoryReplayStore({ clock });
  return {
    claim: (id, until) => store.claim(id, until),
    has: (id) => store.has(id),
    reset: () => {
      store = new MemoryReplayStore({ clock });
    },
  };
}

function settingOf(
  { compiled, parts }: Composition,
  given: Pick<Setting, 'service' | 'kind' | 'clock' | 'freshStore'>,
): Setting | undefined {
  const service = compiled.services.find(({ config }) => config.name === given.service);
  if (service === undefined || parts === undefined) return undefined;
  return {
    ...given,
    chains: { request: service.request, response: service.response },
    newId: idSource(given.clock, createRandom()),
    provider: parts.config.provider,
  };
}

const stopsAll = ({ severity, service, refuses }: Diagnostic): boolean =>
  severity === 'error' && service === undefined && refuses === undefined;

/** Why the service cannot run. */
function refusals({ compiled, loaded }: Composition, name: string): Diagnostic[] {
  const isKnown = loaded.files.services.some((file) => file.name === name);
  const own = compiled.diagnostics.filter((diagnostic) => isReasonFor(diagnostic, name));
  const errors = own.length > 0 ? own : compiled.diagnostics.filter(stopsAll);
  if (isKnown || errors.length > 0) return errors;
  throw noSuchService(name, loaded);
}

/** What a response chain needs of its request: fills in a new exchange. */
async function requestSide(
  setting: Setting,
  options: ProcessOptions,
): Promise<(exchange: Exchange) => Promise<void>> {
  const { request, peer } = options;
  if (request !== undefined && peer !== undefined) {
    throw new CountersignError('USAGE', '--request and --peer exclude each other');
  }
  if ((request ?? peer) !== undefined && setting.kind === 'request') {
    throw new CountersignError('USAGE', '--request and --peer are for --chain response');
  }
  const chain = setting.chains.request;
  if (peer !== undefined) {
    const [certificate] = await readCertificates(peer);
    if (certificate === undefined) throw new CountersignError('USAGE', `${peer} holds no certificate`);
    return (exchange) => {
      for (const label of chain?.verifies ?? []) exchange.requestSigners.set(label, certificate);
      return Promise.resolve();
    };
  }
  if (request === undefined || chain === undefined) return () => Promise.resolve();
  const bytes = readRequest(request);
  return async (exchange) => {
    await runChain(chain, { bytes, exchange, timer: new StepTimer(setting.clock) });
  };
}

function readRequest(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new CountersignError('USAGE', `the request ${file} cannot be read: ${fileProblem(cause)}`, {
      cause,
    });
  }
}

interface Work {
  readonly message: Uint8Array;
  readonly prepare: (exchange: Exchange) => Promise<void>;
  readonly repeat: number | undefined;
}

async function runs(setting: Setting, work: Work): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const times = work.repeat ?? 1;
  const warmUp = work.repeat === undefined ? 0 : WARM_UP;
  for (let run = -warmUp; run < times; run++) {
    const outcome = await runOnce(setting, work);
    if (run >= 0) outcomes.push(outcome);
  }
  return outcomes;
}

async function runOnce(setting: Setting, { message, prepare }: Work): Promise<Outcome> {
  const { chains, clock, kind, service } = setting;
  setting.freshStore();
  const exchange = newExchange(setting.newId(), service);
  try {
    await prepare(exchange);
  } catch (error) {
    return refused(setting, {
      error,
      exchange,
      kind: 'request',
      message,
      timer: new StepTimer(clock),
      cpu: 0,
    });
  }
  const cpu = process.cpuUsage();
  const timer = new StepTimer(clock);
  const spent = (): number => {
    const { user, system } = process.cpuUsage(cpu);
    return user + system;
  };
  try {
    const chain = chains[kind];
    if (chain === undefined) return done(setting, { exchange, timer, message, bytes: message, cpu: spent() });
    const { slices, fault, observed } = await runChain(chain, { bytes: message, exchange, timer });
    timer.finish();
    const bytes = Buffer.concat(slices);
    return done(setting, { exchange, timer, message, bytes, cpu: spent(), fault, observed });
  } catch (error) {
    timer.finish();
    return refused(setting, { error, exchange, kind, message, timer, cpu: spent() });
  }
}

interface Done {
  readonly exchange: Exchange;
  readonly timer: StepTimer;
  readonly message: Uint8Array;
  readonly bytes: Uint8Array;
  readonly cpu: number;
  readonly fault?: boolean;
  readonly observed?: CountersignError | undefined;
}

function done(setting: Setting, { exchange, timer, message, bytes, cpu, fault, observed }: Done): Outcome {
  const { kind, clock, provider, service } = setting;
  const record = timingRecord(exchange, timer, {
    chain: kind,
    outcome: fault === true ? 'fault' : 'ok',
    code: fault === true ? 'UPSTREAM_FAULT' : undefined,
    provider,
    bytes: { in: message.length, out: bytes.length },
    at: clock.now(),
    cpuMicros: cpu,
  });
  if (observed === undefined) return { bytes, record, line: undefined, refusal: undefined, exit: exits.ok };
  const where = { id: exchange.id, service, chain: kind };
  const line = operatorLine(observed, where).replace(/^refused/, 'observed');
  const refusal = { msg: 'observed' as const, ...refusalFields(observed, where) };
  return { bytes, record, line, refusal, exit: exits.ok };
}

interface Refused {
  readonly error: unknown;
  readonly exchange: Exchange;
  readonly kind: ChainKind;
  readonly message: Uint8Array;
  readonly timer: StepTimer;
  readonly cpu: number;
}

async function refused(setting: Setting, failure: Refused): Promise<Outcome> {
  const { error, exchange, kind, message, timer, cpu } = failure;
  if (!isCountersignError(error)) throw error;
  const version = exchange.request.soapVersion ?? exchange.response.soapVersion ?? '1.1';
  const fault = gatewayFault(error, version, exchange.id);
  const { bytes, failure: unsigned } = await secureFault(setting.chains.response, fault.bytes, exchange);
  const { step } = error.details;
  const record = timingRecord(exchange, timer, {
    chain: kind,
    outcome: error.kind.actor === 'sender' ? 'refused' : 'error',
    code: error.code,
    step: typeof step === 'string' ? step : undefined,
    provider: setting.provider,
    bytes: { in: message.length, out: bytes.length },
    at: setting.clock.now(),
    cpuMicros: cpu,
  });
  const where = { id: exchange.id, service: setting.service, chain: kind };
  const lines = [operatorLine(error, where)];
  if (unsigned !== undefined) {
    lines.push(operatorLine(unsigned, { ...where, chain: 'response' }).replace(/^refused/, 'unsigned'));
  }
  const refusal = { msg: 'refused' as const, ...refusalFields(error, where) };
  return { bytes, record, line: lines.join('\n'), refusal, exit: exitOf(error) };
}

/** In a gateway this is about a message; here it is most often an option that was not given. */
function hint(outcomes: readonly Outcome[]): void {
  if (outcomes.at(-1)?.record.code !== 'REQUEST_SIGNER_MISSING') return;
  complain(
    'countersign: no request was given. Name it with --request FILE (as it arrived: signed), or the certificate of its signer with --peer CERT.pem',
  );
}

/** The last run stands for all of them; the record is the median where there were several. */
function report(outcomes: readonly Outcome[], { json, timings }: ProcessOptions): number {
  const last = outcomes.at(-1);
  if (last === undefined) throw new Error('nothing was run');
  const { line, refusal } = last;
  if (line !== undefined) complain(json === true ? JSON.stringify(refusal) : line);
  if (timings === true) complain(JSON.stringify(medianRecord(outcomes.map(({ record }) => record))));
  process.stdout.write(last.bytes);
  return last.exit;
}
