/**
 * What the gateway knows about an algorithm: a frozen record per URI. Shared code looks descriptors up and reads
 * them; it never asks for a URI by name. Types only.
 */
import type { HashName, SignatureAlgorithm } from '../../core/contracts.js';
import type { CipherAlgorithm, KeyKind } from '../../providers/contract.js';
import type { NodeId, XmlDocument } from '../../xml/index.js';

/** Where an algorithm stands: `current`, or `legacy` (known weak, never in the default profile). */
export type AlgorithmStatus = 'current' | 'legacy';

interface Common {
  /** The identifier on the wire. */
  readonly uri: string;
  /** The name in policy files, unique within its kind. */
  readonly id: string;
  readonly status: AlgorithmStatus;
  /** Where it is defined, for `algorithms explain`. */
  readonly clause: string;
}

/** What a key must be to be used with the algorithm at all; strength is for the constraints to judge. */
export interface KeyRequirement {
  readonly kind: KeyKind;
}

export interface SignatureDescriptor extends Common {
  readonly kind: 'signature';
  readonly algorithm: SignatureAlgorithm;
  readonly key: KeyRequirement;
  /**
   * Present where the URI alone does not say all: reads the parameters inside the SignatureMethod and returns the
   * descriptor that they amount to. Such a descriptor has no policy id of its own and is never used to sign.
   *
   * @throws CountersignError SECURITY_STRUCTURE, ALGORITHM_UNKNOWN, ALGORITHM_DENIED
   */
  readonly refine?: (doc: XmlDocument, method: NodeId, table: AlgorithmTable) => SignatureDescriptor;
}

export interface DigestDescriptor extends Common {
  readonly kind: 'digest';
  readonly hash: HashName;
  /** Length of a value in bytes. */
  readonly length: number;
}

/** Content encryption. */
export interface CipherDescriptor extends Common {
  readonly kind: 'cipher';
  readonly name: CipherAlgorithm['name'];
  readonly keyBits: number;
  /** Bytes of the IV that stands before the ciphertext (XMLENC 1.1 §5.2). */
  readonly ivLength: number;
  /** Bytes of the tag that stands after it; 0 where the cipher does not authenticate. */
  readonly tagLength: 0 | 16;
  /** Whether the cipher itself authenticates. */
  readonly authenticated: boolean;
}

/** Key transport. */
export interface KeyTransportDescriptor extends Common {
  readonly kind: 'key-transport';
  readonly name: 'RSA-OAEP' | 'RSAES-PKCS1-v1_5';
  readonly key: KeyRequirement;
  /**
   * Which mask generation hash applies: `stated` by an xenc11:MGF child, SHA-1 where there is none (XMLENC 1.1
   * §5.5.2); always `sha1` for the 2001 identifier; `none` without OAEP.
   */
  readonly mgf: 'stated' | 'sha1' | 'none';
  /** What `digest` is when a policy does not say; undefined without OAEP. */
  readonly defaultDigest: string | undefined;
}

/** Mask generation function of OAEP. */
export interface MgfDescriptor extends Common {
  readonly kind: 'mgf';
  readonly hash: HashName;
}

/** Key wrap with a secret key. */
export interface KeyWrapDescriptor extends Common {
  readonly kind: 'key-wrap';
  readonly name: 'AES-KW';
  readonly keyBits: number;
}

/** Canonicalisation, as CanonicalizationMethod or as the last Transform. */
export interface C14nDescriptor extends Common {
  readonly kind: 'c14n';
  readonly algorithm: 'exclusive' | 'inclusive-1.0' | 'inclusive-1.1';
  readonly comments: boolean;
}

/** A transform that is not a canonicalisation. Known by name; never accepted where an element is covered. */
export interface TransformDescriptor extends Common {
  readonly kind: 'transform';
  readonly name: 'enveloped-signature' | 'str-transform';
}

export type AlgorithmDescriptor =
  | SignatureDescriptor
  | DigestDescriptor
  | CipherDescriptor
  | KeyTransportDescriptor
  | KeyWrapDescriptor
  | MgfDescriptor
  | C14nDescriptor
  | TransformDescriptor;

export type AlgorithmKind = AlgorithmDescriptor['kind'];

/** The descriptor of a kind. */
export type DescriptorOf<K extends AlgorithmKind> = Extract<AlgorithmDescriptor, { readonly kind: K }>;

/** The algorithms that are known, by URI and by policy id. */
export interface AlgorithmTable {
  /** Every descriptor, in the order of the built-in list. */
  readonly all: readonly AlgorithmDescriptor[];
  /**
   * The algorithm with this URI, compared octet by octet.
   *
   * @throws CountersignError ALGORITHM_UNKNOWN
   */
  byUri<K extends AlgorithmKind>(uri: string, kind: K): DescriptorOf<K>;
  /** As `byUri`, but undefined where there is none. */
  find<K extends AlgorithmKind>(uri: string, kind: K): DescriptorOf<K> | undefined;
  /**
   * The algorithm that a policy calls `id`.
   *
   * @throws CountersignError ALGORITHM_UNKNOWN
   */
  byId<K extends AlgorithmKind>(id: string, kind: K): DescriptorOf<K>;
  /** Policy ids of a kind, in the order of the built-in list. */
  ids(kind: AlgorithmKind): readonly string[];
  /** Policy id of a provider's signature record (as certificates carry them); undefined where there is none. */
  signatureId(algorithm: SignatureAlgorithm): string | undefined;
}
