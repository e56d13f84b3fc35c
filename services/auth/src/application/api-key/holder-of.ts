import { timingSafeEqual } from 'node:crypto';
import { keyIdOf } from '@junction/contracts';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { ApiKeyRow } from './ports.js';

export interface KeyHolder extends Pick<ApiKeyRow, 'userId' | 'keyId' | 'scopes'> {
  /** Which of the key's secrets was shown. */
  readonly secretVersion: number;
  /** When that stops counting; undefined: it does not by itself. */
  readonly validUntil: Date | undefined;
}

/** Returns the owner of an API key; undefined when the key is malformed, unknown, expired or revoked. */
export const holderOf =
  ({ apiKeys, now }: Ports) =>
  async (key: string): Promise<KeyHolder | undefined> => {
    const keyId = keyIdOf(key);
    const stored = keyId === undefined ? undefined : await apiKeys.findWithSecrets(keyId);
    if (!stored) return undefined;
    const hash = hashOfSecret(key);
    const shown = stored.secrets.find((secret) => timingSafeEqual(secret.hash, hash));
    if (!shown) return undefined;
    const { userId, keyId: id, scopes, expiresAt } = stored.key;
    const validUntil = earliest(shown.validUntil, expiresAt);
    const at = now();
    if (validUntil !== undefined && validUntil <= at) return undefined;
    apiKeys.used(id, at);
    return { userId, keyId: id, scopes, secretVersion: shown.version, validUntil };
  };

function earliest(...moments: readonly (Date | null)[]): Date | undefined {
  return moments
    .filter((moment) => moment !== null)
    .toSorted((a, b) => a.getTime() - b.getTime())
    .at(0);
}
