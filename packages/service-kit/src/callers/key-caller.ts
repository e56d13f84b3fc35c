import type { Caller } from '../servers/http/caller.js';

/** What auth says of a good API key. */
export interface KeyHolder {
  readonly userId: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** Which of the key's secrets was shown: counted from 1. */
  readonly secretVersion: number;
  readonly validUntil?: Date | undefined;
}

/** The owner of an API key, as who asks. */
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

/** One secret of a key, for revocations. */
export const secretIdOf = (keyId: string, version: number): string => `${keyId}.${version}`;
