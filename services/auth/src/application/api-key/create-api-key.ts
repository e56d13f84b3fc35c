import { API_KEY_FULL_SCOPE, type ApiKeyScope, apiKeyToken } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { apiKeyDecider } from '../../domain/api-key/decider.js';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { streamOf } from '../streams.js';
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
 * The answer alone holds the key; nobody can read it again. AppError `too_many_api_keys`, `expires_in_the_past`.
 */
export const createApiKey =
  ({ apiKeys, newKeyId, now, random }: Ports) =>
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
    const command = { type: 'CreateApiKey' as const, data };
    const events = apiKeyDecider.decide(command, apiKeyDecider.initialState);
    const append = { streamId: streamOf.apiKey(keyId), expected: 'none' as const, events };
    const row = { keyId, userId, secretHash: hashOfSecret(key), sessionId };
    switch (await apiKeys.create(append, row, API_KEYS_PER_USER_MAX)) {
      case 'created':
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
      case 'too_many':
        throw tooMany();
      case 'user_is_gone':
        throw new AppError('unauthenticated', 'This account no longer exists.');
    }
  };

const tooMany = (): AppError =>
  new AppError(
    'too_many_api_keys',
    `A user has at most ${API_KEYS_PER_USER_MAX} API keys. Revoke one you no longer use.`,
  );

const expiresInThePast = (): AppError =>
  new AppError('expires_in_the_past', 'An API key must expire in the future.');
