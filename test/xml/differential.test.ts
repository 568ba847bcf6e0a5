/**
 * Differential test against libxml2: generated documents in every canonical form, of the document and of elements.
 * COUNTERSIGN_FUZZ sets the number of documents.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { C14nMethod } from '#src/xml/index.js';
import { documentFrom } from '../support/xml-generator.js';
import { algorithms, canonical, Oracle, parse } from './support.js';

const runs = Number(process.env['COUNTERSIGN_FUZZ'] ?? 2000);
const lists: readonly (readonly string[] | undefined)[] = [
  undefined,
  ['p', 'ns0'],
  ['#default', 'q', 'Z', 'absent'],
];

describe('canonical forms against libxml2', () => {
  it(`agree on ${runs} generated documents`, () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.array(fc.nat(255), { maxLength: 260 }), fc.nat(1000), (tape, choice) => {
        const text = documentFrom(tape);
        const document = parse(text);
        const oracle = new Oracle(Buffer.from(text));
        try {
          const apexes = ['document', choice % oracle.count] as const;
          for (const [method, apex] of methods().flatMap((one) =>
            apexes.map((apex) => [one, apex] as const),
          )) {
            // libxml2 takes `#default` literally in some builds: an empty string is what it looks for.
            expect(canonical(document, apex, method)).toBe(oracle.canonical(apex, method));
            compared++;
          }
        } finally {
          oracle.dispose();
          document.release();
        }
      }),
      { numRuns: runs },
    );
    process.stderr.write(`canonical forms compared with libxml2: ${compared}\n`);
  }, 600_000);
});

function methods(): C14nMethod[] {
  return algorithms.flatMap((algorithm) =>
    [true, false].flatMap((comments) =>
      (algorithm === 'exclusive' ? lists : [undefined]).map((inclusivePrefixes) => ({
        algorithm,
        comments,
        ...(inclusivePrefixes === undefined ? {} : { inclusivePrefixes }),
      })),
    ),
  );
}
