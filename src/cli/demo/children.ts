import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../main.js', import.meta.url));

/** A running `countersign serve`, with what it printed. */
export interface Served {
  readonly process: ChildProcess;
  /** Every complete line of standard output and standard error so far. */
  readonly lines: readonly string[];
  /** Waits for a line that `wanted` accepts, among the lines from index `from` on. */
  line(wanted: (line: string) => boolean, from?: number): Promise<string>;
  stop(): Promise<void>;
}

/** What a finished command gave. */
export interface Finished {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs a command of this program to its end.
 *
 * @param args the command and its options
 * @param input bytes for its standard input
 */
export async function run(args: readonly string[], input: Uint8Array = new Uint8Array()): Promise<Finished> {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') };
}

/** Starts `countersign serve` for a configuration and gathers its lines. */
export function serve(config: string, provider: string): Served {
  const child = spawn(process.execPath, [cli, 'serve', '--config', config, '--provider', provider], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const gather = (stream: NodeJS.ReadableStream): void => {
    let rest = '';
    stream.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      for (const wake of waiting) wake();
    });
  };
  gather(child.stdout);
  gather(child.stderr);
  const ended = once(child, 'close').then(() => {
    for (const wake of waiting) wake();
  });

  return {
    process: child,
    lines,
    async line(wanted, from = 0) {
      for (let at = from; ;) {
        for (; at < lines.length; at++) {
          const line = lines[at];
          if (line !== undefined && wanted(line)) return line;
        }
        if (child.exitCode !== null)
          throw new Error(`the gateway of ${config} ended:\n${lines.slice(-10).join('\n')}`);
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
          setTimeout(wake, 200).unref();
        });
      }
    },
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}
