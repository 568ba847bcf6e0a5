/** Canonical octets: into a hash, or into memory, within the message's budget. */
import type { ByteSink, Digester, HashName } from '../../core/contracts.js';
import { CountersignError } from '../../core/errors.js';
import type { Limits } from '../../core/limits.js';
import type { PartTimer } from '../../core/timer.js';
import type { Crypto } from '../../providers/contract.js';
import { canonicalize, type C14nMethod, type NodeId, type XmlDocument } from '../../xml/index.js';
import type { DigestDescriptor } from '../algorithms/descriptor.js';

/** How many octets may still be canonicalised for one message (SIG-14: many references to nested parts). */
export class OctetBudget {
  readonly #allowed: number;
  #left: number;

  constructor(limits: Limits) {
    this.#allowed = limits.canonical * limits.envelope;
    this.#left = this.#allowed;
  }

  /** @throws CountersignError SECURITY_LIMIT */
  spend(octets: number): void {
    this.#left -= octets;
    if (this.#left >= 0) return;
    throw new CountersignError(
      'SECURITY_LIMIT',
      `more than ${this.#allowed} octets would have to be canonicalised`,
      {
        details: { limit: 'canonical', allowed: this.#allowed },
      },
    );
  }
}

/** What canonicalising needs besides the element. */
export interface OctetTools {
  readonly doc: XmlDocument;
  readonly crypto: Crypto;
  readonly timer: PartTimer;
  /** Undefined when signing: what we make ourselves needs none. */
  readonly budget: OctetBudget | undefined;
}

/** The digest of the canonical form of an element. Reports `c14n` and `digest`. */
export function digestElement(
  tools: OctetTools,
  element: NodeId,
  method: C14nMethod,
  digest: DigestDescriptor,
): Uint8Array {
  const { doc, timer } = tools;
  const sink = new DigestSink(tools, digest);
  timer.part('c14n');
  canonicalize(doc, element, method, sink);
  timer.part('digest');
  const value = sink.digest();
  timer.part(undefined);
  return value;
}

/** Hashes octets as they come; what comes in one piece, as most parts do, without an incremental hash. */
class DigestSink implements ByteSink {
  readonly #tools: OctetTools;
  readonly #hash: HashName;
  #digester: Digester | undefined;
  #value: Uint8Array | undefined;

  constructor(tools: OctetTools, { hash }: DigestDescriptor) {
    this.#tools = tools;
    this.#hash = hash;
  }

  write(bytes: Uint8Array, last: boolean): void {
    const { crypto, timer, budget } = this.#tools;
    budget?.spend(bytes.length);
    timer.part('digest');
    if (last && this.#digester === undefined) this.#value = crypto.digest(this.#hash, bytes);
    else (this.#digester ??= crypto.createDigest(this.#hash)).update(bytes);
    timer.part('c14n');
  }

  digest(): Uint8Array {
    const { crypto } = this.#tools;
    return this.#value ?? (this.#digester ?? crypto.createDigest(this.#hash)).digest();
  }
}

/** The canonical form of a small element, in memory. */
export function canonicalOctets(tools: OctetTools, element: NodeId, method: C14nMethod): Uint8Array {
  const pieces: Uint8Array[] = [];
  canonicalize(tools.doc, element, method, {
    write: (bytes) => {
      tools.budget?.spend(bytes.length);
      // A copy: the octets are only good during the call.
      pieces.push(Buffer.from(bytes));
    },
  });
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
