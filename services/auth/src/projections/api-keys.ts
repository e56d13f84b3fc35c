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
}

/** Keys that are alive. What they are compared with lies in another table, which no event fills. */
export const apiKeys: Projection<ApiKeyColumns, ApiKeyEvent> = {
  table: 'api_keys',
  key: 'key_id',
  aggregate: 'api_key',

  evolve(_, { type, data }, { version }) {
    switch (type) {
      case 'api_key.created': {
        const { keyId, userId, name, scopes, at } = data;
        return { key_id: keyId, version, user_id: userId, name, scopes, created_at: at };
      }
      case 'api_key.revoked':
        return undefined;
    }
  },
};
