import { API_KEY_FULL_SCOPE, type ApiKeyScope, apiKeyToken } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { lockInSession } from '../locked-account.js';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { Transaction } from '../unit-of-work.js';

const API_KEYS_PER_USER_MAX = 100;
const DAY_MS = 24 * 3_600_000;
/** Days that the key of a trusted issuer's user counts, at most: nobody takes it back when the issuer ends the user. */
const DAYS_MAX = 90;

export interface NewApiKey {
  readonly name: string;
  /** Absent: everything its owner may do without a session. */
  readonly scopes?: readonly ApiKeyScope[] | undefined;
  /** Absent: it does not expire, but for the key of a trusted issuer's user. */
  readonly expiresAt?: Date | undefined;
  /** The session that asks; absent: there is none here. */
  readonly sessionId?: string | undefined;
}

/** A key with the secret that it got, which the answer alone holds: nobody can read it again. */
export interface ApiKeyWithSecret {
  readonly keyId: string;
  readonly key: string;
  /** The key as lists show it, as it was written. */
  readonly shown: Awaited<ReturnType<Transaction['apiKeys']['shown']>>;
}

/**
 * AppError `too_many_api_keys`, `expires_in_the_past`, `expires_too_late`, `invalid_token` when the session has ended.
 */
export const createApiKey =
  ({ unitOfWork, newKeyId, now, random }: Ports) =>
  async (
    userId: string,
    { name, scopes: asked, expiresAt, sessionId }: NewApiKey,
  ): Promise<ApiKeyWithSecret> => {
    const keyId = newKeyId();
    const key = apiKeyToken(keyId, random);
    const scopes = asked === undefined ? [API_KEY_FULL_SCOPE] : [...new Set(asked)];
    const createdAt = now();
    if (expiresAt !== undefined && expiresAt <= createdAt) throw expiresInThePast();
    const at = createdAt.toISOString();
    // Each of many requests at once sees the keys of the requests before it, because the owner is locked.
    const shown = await unitOfWork.inTurn(userId, async (tx) => {
      const { email } = await lockInSession(tx, { userId, sessionId });
      const end = email === null ? endOfForeign(expiresAt, createdAt) : expiresAt;
      const data = { keyId, userId, name, scopes, expiresAt: end?.toISOString(), at };
      if ((await tx.apiKeys.ofUser(userId)).length >= API_KEYS_PER_USER_MAX) throw tooMany();
      await tx.handleApiKey(keyId, { type: 'CreateApiKey', data });
      const secret = { secretVersion: 1, secretHash: hashOfSecret(key), previousValidUntil: at };
      await tx.apiKeys.addSecret({ holderId: keyId, ...secret });
      return tx.apiKeys.shown(userId, keyId);
    });
    return { keyId, key, shown };
  };

const tooMany = (): AppError =>
  new AppError(
    'too_many_api_keys',
    `A user has at most ${API_KEYS_PER_USER_MAX} API keys. Revoke one you no longer use.`,
  );

/** Returns the end of the key of a trusted issuer's user, which must have one. */
function endOfForeign(expiresAt: Date | undefined, createdAt: Date): Date {
  const latest = new Date(createdAt.getTime() + DAYS_MAX * DAY_MS);
  if (expiresAt === undefined) return latest;
  // A day more is left to whoever counts whole days, or by another clock.
  if (expiresAt.getTime() <= latest.getTime() + DAY_MS) return expiresAt;
  throw new AppError(
    'expires_too_late',
    `An API key of a trusted issuer's user counts for ${DAYS_MAX} days at most.`,
  );
}

const expiresInThePast = (): AppError =>
  new AppError('expires_in_the_past', 'An API key must expire in the future.');
