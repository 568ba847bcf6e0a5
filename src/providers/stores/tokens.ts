/** From the policy's hsm homes to the pkcs11 provider's: PINs are read, URIs taken apart. */
import { CountersignError } from '../../core/errors.js';
import type { HsmHome, Pkcs11Provider } from '../pkcs11/provider.js';
import { parsePkcs11Uri } from '../pkcs11/uri.js';
import type { HsmHomeInput, TokenOpener } from './homes.js';

/** The token side of key opening, on an open pkcs11 provider. */
export function tokenOpener(provider: Pick<Pkcs11Provider, 'openKey'>): TokenOpener {
  return {
    openKey: async (homes) => {
      const { handle, spki, certificates } = await provider.openKey(homes.map((home) => resolveHome(home)));
      return { privateKey: handle, spki, certificates };
    },
  };
}

/** @throws CountersignError CONFIG_INVALID when neither the fields nor the URI name token and label */
function resolveHome(home: HsmHomeInput): HsmHome {
  const uri = home.uri === undefined ? {} : parsePkcs11Uri(home.uri);
  const token = home.token ?? uri.token;
  const label = home.label ?? uri.object;
  if (token === undefined || label === undefined) {
    const missing = token === undefined ? 'token' : 'label (object)';
    throw new CountersignError('CONFIG_INVALID', `the hsm home does not say its ${missing}`);
  }
  return { module: home.module, token, label, pin: home.pin() };
}
