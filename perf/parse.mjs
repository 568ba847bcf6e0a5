/** Parsing: the XML core against saxes (the only other conformant parser in JavaScript) and libxml2. */
import { SaxesParser } from 'saxes';

import { defaultLimits } from '../dist/core/limits.js';
import { ns, parseDocument } from '../dist/xml/index.js';

import { document as envelope, sizes } from './documents.mjs';
import { interleave, row } from './harness.mjs';

const limits = { ...defaultLimits, envelope: 64 * 1024 * 1024 };
const ids = { anywhere: [{ namespace: ns.wsu, local: 'Id' }], unqualified: [] };

function counted(text) {
  let elements = 0;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', () => elements++);
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  return elements;
}

function countOurs(document) {
  let elements = 0;
  const pending = [document.root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    elements++;
    pending.push(...document.children(at));
  }
  return elements;
}

/** @returns rows for 1 KB … 1 MB */
export async function bench({ short = false } = {}) {
  const { XmlDocument: Libxml } = await import('libxml2-wasm');
  const rows = [];
  for (const { name, bytes } of sizes) {
    const message = envelope(bytes);
    const document = parseDocument(message, { limits, ids });
    if (counted(message.toString()) !== countOurs(document)) throw new Error('the parsers disagree');
    document.release();
    const iterations = Math.max(2, Math.floor((short ? 2e6 : 8e6) / bytes));
    const { cpu } = await interleave(
      {
        ours: (n) => {
          for (let i = 0; i < n; i++) parseDocument(message, { limits, ids }).release();
        },
        saxes: (n) => {
          for (let i = 0; i < n; i++) counted(message.toString());
        },
        libxml2: (n) => {
          for (let i = 0; i < n; i++) Libxml.fromBuffer(message).dispose();
        },
      },
      {
        rounds: short ? 5 : 9,
        iterations: { ours: iterations * 4, saxes: iterations, libxml2: iterations },
      },
    );
    const more = { mb_per_s: Math.round(message.length / cpu.ours) };
    rows.push(row('parse', `${name} / saxes`, cpu.ours, { name: 'saxes', cpu: cpu.saxes }, more));
    rows.push(row('parse', `${name} / libxml2`, cpu.ours, { name: 'libxml2-wasm', cpu: cpu.libxml2 }));
  }
  return rows;
}
