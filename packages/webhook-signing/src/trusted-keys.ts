import type { KeyObject } from 'node:crypto';
import { isPrivateKey, isPublicKey, publicKeyObject } from './key-pair.js';
import { isUsableSecret, type SigningKeys, signingKeys } from './secret.js';

/** A secret of the webhook or a public key (`whpk_…`), or several of either, any of which may have signed. */
export type VerificationKeys = string | readonly string[];

export interface TrustedKeys {
  readonly secrets: readonly SigningKeys[];
  readonly publicKeys: readonly KeyObject[];
}

/** @throws TypeError when a key is none, or when there is none: then nothing could be verified. */
export function trustedKeys(keys: VerificationKeys): TrustedKeys {
  const secrets: SigningKeys[] = [];
  const publicKeys: KeyObject[] = [];
  for (const key of typeof keys === 'string' ? [keys] : keys) {
    if (isPrivateKey(key)) {
      throw new TypeError('A key begins with whsk_: a private key. Verify with its whpk_ key.');
    }
    if (isPublicKey(key)) publicKeys.push(checkedPublicKey(key));
    else secrets.push(checkedSecret(key));
  }
  if (secrets.length + publicKeys.length > 0) return { secrets, publicKeys };
  throw new TypeError('No key to verify with: give the secret of the webhook, or a public key.');
}

function checkedPublicKey(key: string): KeyObject {
  const object = publicKeyObject(key);
  if (object !== undefined) return object;
  throw new TypeError('A public key is whpk_ and the base64 of 32 bytes. Was it copied whole?');
}

function checkedSecret(key: string): SigningKeys {
  if (isUsableSecret(key)) return signingKeys(key);
  const rule = 'A secret is 1 to 256 bytes of UTF-8, with base64 behind whsec_.';
  throw new TypeError(`${rule} Was it copied whole?`);
}
