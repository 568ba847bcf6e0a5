/** Triple DES, which @noble does not have, from node-forge: loaded when the provider is opened. */

/** Makes a chain over whole blocks of 3DES-CBC. */
export type TripleDes = (
  key: Uint8Array,
  iv: Uint8Array,
  direction: 'encrypt' | 'decrypt',
) => (blocks: Uint8Array) => Uint8Array;

/** forge takes and gives strings of one character a byte. Input comes in pieces of 48 KiB at most. */
const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export async function loadTripleDes(): Promise<TripleDes> {
  const { default: forge } = await import('node-forge');
  return (key, iv, direction) => {
    const cipher =
      direction === 'encrypt'
        ? forge.cipher.createCipher('3DES-CBC', binary(key))
        : forge.cipher.createDecipher('3DES-CBC', binary(key));
    cipher.start({ iv: binary(iv) });
    return (blocks) => {
      cipher.update(forge.util.createBuffer(binary(blocks)));
      return Buffer.from(cipher.output.getBytes(), 'latin1');
    };
  };
}
