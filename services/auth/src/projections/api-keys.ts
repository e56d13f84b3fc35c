import type { Projection } from '@junction/eventsourcing';
import type { ApiKeyEvent } from '../domain/api-key/events.js';

/** The columns of `api_keys`. */
export interface ApiKeyColumns {
  readonly key_id: string;
  readonly version: number;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly previous_valid_until: string | null;
}

/** Keys that are alive. What they are compared with lies in another table, which no event fills. */
export const apiKeys: Projection<ApiKeyColumns, ApiKeyEvent> = {
  table: 'api_keys',
  key: 'key_id',
  aggregate: 'api_key',

  evolve(row, { type, data }, { version }) {
    switch (type) {
      case 'api_key.created': {
        const { keyId, userId, name, scopes, expiresAt = null, at } = data;
        const times = { created_at: at, expires_at: expiresAt, previous_valid_until: null };
        return { key_id: keyId, version, user_id: userId, name, scopes, ...times };
      }
      case 'api_key.rotated':
        return row && { ...row, version, previous_valid_until: data.previousValidUntil };
      case 'api_key.revoked':
        return undefined;
    }
  },
};
