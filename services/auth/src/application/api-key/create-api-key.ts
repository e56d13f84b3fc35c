import { API_KEY_FULL_SCOPE, type ApiKeyScope, apiKeyToken } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { lockInSession } from '../locked-account.js';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { ApiKeyRow } from './ports.js';

const API_KEYS_PER_USER_MAX = 100;

export interface NewApiKey {
  readonly name: string;
  /** Absent: everything its owner may do without a session. */
  readonly scopes?: readonly ApiKeyScope[] | undefined;
  /** Absent: it does not expire. */
  readonly expiresAt?: Date | undefined;
  /** The session that asks; absent: there is none here. */
  readonly sessionId?: string | undefined;
}

export type CreatedApiKey = Omit<ApiKeyRow, 'userId'> & { readonly key: string };

/**
 * The answer alone holds the key; nobody can read it again. AppError `too_many_api_keys`,
 * `expires_in_the_past`, `invalid_token` when the session has ended.
 */
export const createApiKey =
  ({ unitOfWork, newKeyId, now, random }: Ports) =>
  async (
    userId: string,
    { name, scopes: asked, expiresAt, sessionId }: NewApiKey,
  ): Promise<CreatedApiKey> => {
    const keyId = newKeyId();
    const key = apiKeyToken(keyId, random);
    const scopes = asked === undefined ? [API_KEY_FULL_SCOPE] : [...new Set(asked)];
    const createdAt = now();
    if (expiresAt !== undefined && expiresAt <= createdAt) throw expiresInThePast();
    const data = {
      keyId,
      userId,
      name,
      scopes,
      expiresAt: expiresAt?.toISOString(),
      at: createdAt.toISOString(),
    };
    // Each of many requests at once sees the keys of the requests before it, because the owner is locked.
    await unitOfWork.inTurn(userId, async (tx) => {
      await lockInSession(tx, { userId, sessionId });
      if ((await tx.apiKeys.ofUser(userId)).length >= API_KEYS_PER_USER_MAX) throw tooMany();
      await tx.handleApiKey(keyId, { type: 'CreateApiKey', data });
      await tx.apiKeys.addSecret(keyId, hashOfSecret(key));
    });
    return {
      keyId,
      name,
      scopes,
      createdAt,
      expiresAt: expiresAt ?? null,
      previousValidUntil: null,
      lastUsedAt: null,
      key,
    };
  };

const tooMany = (): AppError =>
  new AppError(
    'too_many_api_keys',
    `A user has at most ${API_KEYS_PER_USER_MAX} API keys. Revoke one you no longer use.`,
  );

const expiresInThePast = (): AppError =>
  new AppError('expires_in_the_past', 'An API key must expire in the future.');
