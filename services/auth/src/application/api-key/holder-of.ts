import { timingSafeEqual } from 'node:crypto';
import { keyIdOf } from '@junction/contracts';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { ApiKeyRow } from './ports.js';

export type KeyHolder = Pick<ApiKeyRow, 'userId' | 'keyId' | 'scopes'>;

/** Whose API key this is; undefined when it is malformed, unknown, expired or revoked. */
export const holderOf =
  ({ apiKeys, now }: Ports) =>
  async (key: string): Promise<KeyHolder | undefined> => {
    const keyId = keyIdOf(key);
    const stored = keyId === undefined ? undefined : await apiKeys.findWithHash(keyId);
    if (!stored || !timingSafeEqual(stored.secretHash, hashOfSecret(key))) return undefined;
    const { userId, scopes, expiresAt } = stored.key;
    if (expiresAt !== null && expiresAt <= now()) return undefined;
    return { userId, keyId: stored.key.keyId, scopes };
  };
