/** The algorithms that come with Countersign. Re-exports and nothing else. */
export { c14nAlgorithms } from './c14n.js';
export { cipherAlgorithms } from './cipher.js';
export { digestAlgorithms } from './digest.js';
export { ecdsaAlgorithms } from './ecdsa.js';
export { ed25519Algorithms } from './ed25519.js';
export { hmacAlgorithms } from './hmac.js';
export { keyTransportAlgorithms } from './key-transport.js';
export { rsaAlgorithms } from './rsa.js';
export { rsaPssParameterAlgorithms } from './rsa-pss-parameters.js';
export { rsaPssAlgorithms } from './rsa-pss.js';
export { transformAlgorithms } from './transform.js';
