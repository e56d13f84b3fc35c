import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@junction/errors';
import { apiKeyDecider } from '../domain/api-key/decider.js';
import { apiKeyToken, isKeyId, keyIdOf } from './api-key-token.js';
import type { ApiKeyRow, Needs } from './needs.js';
import { hashOfSecret } from './secret-hash.js';
import { streamOf } from './streams.js';

const API_KEYS_PER_USER_MAX = 100;

/** The whole API as its owner, except what needs a session: keys themselves and the account's end. */
const SCOPES = ['api'] as const;

export interface ApiKeyVerbs {
  /** The answer alone holds the key; nobody can read it again. AppError `too_many_api_keys`. */
  createApiKey(userId: string, name: string): Promise<Omit<ApiKeyRow, 'userId'> & { key: string }>;
  listApiKeys(userId: string): Promise<readonly ApiKeyRow[]>;
  /** Does nothing the second time. AppError `api_key_not_found`, for another user's key too. */
  revokeApiKey(userId: string, keyId: string): Promise<void>;
  /** Whose key this is; undefined when it is malformed, unknown or revoked. */
  holderOf(key: string): Promise<KeyHolder | undefined>;
}

export type KeyHolder = Pick<ApiKeyRow, 'userId' | 'keyId' | 'scopes'>;

export function apiKeyVerbs({ apiKeys, handleApiKey, newKeyId, now, random }: Needs): ApiKeyVerbs {
  return {
    async createApiKey(userId, name) {
      const keyId = newKeyId();
      const key = apiKeyToken(keyId, random);
      const createdAt = now();
      const data = { keyId, userId, name, scopes: SCOPES, at: createdAt.toISOString() };
      const command = { type: 'CreateApiKey' as const, data };
      const events = apiKeyDecider.decide(command, apiKeyDecider.initialState);
      const append = { streamId: streamOf.apiKey(keyId), expected: 'none' as const, events };
      const row = { keyId, userId, secretHash: hashOfSecret(key) };
      switch (await apiKeys.create(append, row, API_KEYS_PER_USER_MAX)) {
        case 'created':
          return { keyId, name, scopes: SCOPES, createdAt, key };
        case 'too_many':
          throw tooMany();
        case 'user_is_gone':
          throw new AppError(
            'unauthenticated',
            'unauthenticated',
            'This account no longer exists.',
          );
      }
    },

    listApiKeys: (userId) => apiKeys.list(userId),

    async revokeApiKey(userId, keyId) {
      const at = now().toISOString();
      // A malformed id names no stream; the decider of an empty one says the same as for a stranger.
      const streamId = streamOf.apiKey(isKeyId(keyId) ? keyId : 'none');
      await handleApiKey(streamId, { type: 'RevokeApiKey', data: { userId, reason: 'user', at } });
    },

    async holderOf(key) {
      const keyId = keyIdOf(key);
      const stored = keyId === undefined ? undefined : await apiKeys.findWithHash(keyId);
      if (!stored || !timingSafeEqual(stored.secretHash, hashOfSecret(key))) return undefined;
      const { userId, scopes } = stored.key;
      return { userId, keyId: stored.key.keyId, scopes };
    },
  };
}

const tooMany = (): AppError =>
  new AppError(
    'conflict',
    'too_many_api_keys',
    `A user has at most ${API_KEYS_PER_USER_MAX} API keys. Revoke one you no longer use.`,
  );
