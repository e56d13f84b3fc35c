import type { Caller } from '../http/caller.js';

/** Owner and key as auth returns them for a good API key. */
export interface KeyHolder {
  readonly userId: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** Number of the key's secret that was shown, counted from 1. */
  readonly secretVersion: number;
  readonly validUntil?: Date | undefined;
}

/** Returns the owner of an API key as a caller. */
export const keyCaller = ({
  userId,
  keyId,
  scopes,
  secretVersion,
  validUntil,
}: KeyHolder): Caller => ({
  kind: 'user',
  via: 'api_key',
  userId,
  keyId,
  secretId: secretIdOf(keyId, secretVersion),
  scopes,
  expiresAt: validUntil,
});

/** Returns the id of a key's secret, by which the secret is revoked. */
export const secretIdOf = (keyId: string, version: number): string => `${keyId}.${version}`;
