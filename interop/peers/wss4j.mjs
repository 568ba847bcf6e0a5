/** WSS4J 4 as a peer: one long-lived JVM for each side, driven over its standard input and output. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../wss4j');
const jar = join(folder, 'target/wss4j-peer.jar');

/** Builds the peer once. @returns why it cannot be used, or undefined */
export function prepare() {
  if (existsSync(jar)) return undefined;
  const build = spawnSync('mvn', ['-q', '-B', 'package'], { cwd: folder, encoding: 'utf8' });
  if (build.error !== undefined) return 'Maven is not installed (Debian: maven, default-jdk)';
  return build.status === 0 ? undefined : `mvn package failed: ${build.stdout.slice(-400)}`;
}

/** A running JVM. Calls are answered in order. */
export class Wss4j {
  #child;
  #pending = [];
  #buffer = Buffer.alloc(0);

  /** @param keys { own: p12 file, partner: pem file, ca: pem file, password, provider?: 'bc', heap?: '512m' } */
  constructor(keys) {
    const heap = keys.heap ?? '512m';
    const args = [
      `-Xms${heap}`,
      `-Xmx${heap}`,
      '-cp',
      `${jar}:${join(folder, 'target/lib')}/*`,
      'countersign.peer.Peer',
      keys.own,
      keys.partner,
      keys.ca,
      keys.password,
    ];
    if (keys.provider !== undefined) args.push(keys.provider);
    this.#child = spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout.on('data', (chunk) => this.#take(chunk));
    this.#child.on('exit', () => {
      for (const { reject } of this.#pending.splice(0)) reject(new Error('the WSS4J peer has ended'));
    });
  }

  /**
   * @param command `produce` or `consume`
   * @param message bytes
   * @param options `name=value` words (see Options.java)
   * @returns { ok, body, cpuMicros, threadMicros, summary }
   */
  call(command, message, options = []) {
    return new Promise((accept, reject) => {
      this.#pending.push({ accept, reject });
      this.#child.stdin.write(`${[command, message.length, ...options].join(' ')}\n`);
      this.#child.stdin.write(message);
    });
  }

  close() {
    this.#child.stdin.end();
  }

  #take(chunk) {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const end = this.#buffer.indexOf(0x0a);
      if (end < 0) return;
      const [status, length, cpu, thread, ...summary] = this.#buffer.toString('utf8', 0, end).split(' ');
      const total = end + 1 + Number(length);
      if (this.#buffer.length < total) return;
      const body = Buffer.from(this.#buffer.subarray(end + 1, total));
      this.#buffer = this.#buffer.subarray(total);
      this.#pending.shift().accept({
        ok: status === 'ok',
        body,
        cpuMicros: Number(cpu),
        threadMicros: Number(thread),
        summary: summary.join(' '),
      });
    }
  }
}
