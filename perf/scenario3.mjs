/**
 * Scenario 3 through the real chains (trust, subject check, replay and log on): Timestamp; Body and Timestamp signed
 * RSA-2048/SHA-256 with the certificate by direct reference; Body content encrypted AES-128-GCM, RSA-OAEP. Against the bare
 * cryptography of the same message, xml-crypto with xml-encryption, and WSS4J in a long-lived JVM, in one run.
 */
import { makeChains } from './support/chains.mjs';
import { document, sizes } from './documents.mjs';
import { floor } from './support/floor.mjs';
import { interleave, row } from './harness.mjs';
import { naive } from './support/naive.mjs';
import { wss4j } from './support/wss4j.mjs';

/** How many messages make one round, and how many rounds. */
const plan = {
  '1 KB': { iterations: 40, rounds: 27 },
  '10 KB': { iterations: 40, rounds: 27 },
  '100 KB': { iterations: 16, rounds: 19 },
  '1 MB': { iterations: 4, rounds: 11 },
};
const short = {
  '1 KB': { iterations: 30, rounds: 15 },
  '10 KB': { iterations: 25, rounds: 15 },
  '100 KB': { iterations: 10, rounds: 11 },
};
/** Java tells its CPU time in steps of 10 ms, so that its rounds are longer. */
const longer = 3;

/** Messages before the first measured round, one at a time. V8 still compiles after the 2,000 that the JVM gets. */
function warmUp(message, { short: isShort }) {
  if (message.length > 200_000) return 60;
  if (message.length > 50_000) return isShort ? 400 : 1200;
  return isShort ? 2000 : 5000;
}

/**
 * @param options { short?: no 1 MB and no naive pipeline, provider?: id, classic?: 3DES and RSA-1.5 }
 * @returns rows
 */
export async function bench(options) {
  const provider = options.provider ?? 'openssl';
  const chains = await makeChains(provider, { classic: options.classic === true });
  const java = await wss4j(chains.lab, { classic: options.classic === true });
  const rows = [];
  try {
    for (const size of sizes) {
      const counts = (options.short ? short : plan)[size.name];
      if (counts === undefined) continue;
      const message = document(size.bytes);
      await chains.check(message);
      rows.push(...(await measure('send', size.name, message, { chains, java, counts, options })));
      rows.push(...(await measure('receive', size.name, message, { chains, java, counts, options })));
    }
  } finally {
    java?.close();
    await chains.close();
  }
  return rows;
}

/** Whose budgets hold: those of the openssl provider say nothing of the others. */
function budgetsOf({ classic, provider = 'openssl' }) {
  const name = classic === true ? 'scenario3 classic' : 'scenario3';
  return provider === 'openssl' ? name : `${name} ${provider}`;
}

async function measure(direction, size, message, { chains, java, counts, options }) {
  const name = budgetsOf(options);
  const bare = await floor(chains, message);
  const product = chains[direction](message);
  for (let done = 0; done < warmUp(message, options); done += counts.iterations)
    await product(counts.iterations);
  const alternatives = {
    product,
    'bare crypto': bare[direction],
    'bare crypto, synchronous': bare[`${direction}Sync`],
  };
  if (java !== undefined) alternatives.WSS4J = await java[direction](message);
  const slow = !options.short && size !== '1 MB' && !options.classic;
  if (slow) alternatives['xml-crypto pipeline'] = await naive(chains, message)[direction];
  const iterations = Object.fromEntries(Object.keys(alternatives).map((name) => [name, counts.iterations]));
  iterations.WSS4J = counts.iterations * longer;
  iterations['xml-crypto pipeline'] = Math.max(1, Math.floor(counts.iterations / 20));
  const { cpu, ratio } = await interleave(alternatives, { rounds: counts.rounds, iterations, warmup: 3 });
  const against = (name) => ({ name, cpu: cpu[name], ratio: ratio('product', name) });
  const rows = [
    row(name, `${direction} ${size} / floor`, cpu.product, against('bare crypto'), {
      floor_sync_us: Math.round(cpu['bare crypto, synchronous']),
    }),
  ];
  for (const other of ['WSS4J', 'xml-crypto pipeline']) {
    if (cpu[other] === undefined) continue;
    const bound = { reachable: ratio(other, 'bare crypto'), floor: `${direction} ${size} / floor` };
    rows.push(row(name, `${direction} ${size} / ${other}`, cpu.product, against(other), bound));
  }
  return rows;
}
