import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import type { ApiKeyEvent, ApiKeyRevocationReason } from './events.js';

/** `at` is ISO 8601 in UTC. */
export type ApiKeyCommand =
  | Command<
      'CreateApiKey',
      {
        keyId: string;
        userId: string;
        name: string;
        scopes: readonly string[];
        expiresAt?: string | undefined;
        at: string;
      }
    >
  | Command<'RevokeApiKey', { userId: string; reason: ApiKeyRevocationReason; at: string }>;

export type ApiKey =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'active' | 'revoked';
      readonly keyId: string;
      readonly userId: string;
    };

export const apiKeyDecider: Decider<ApiKey, ApiKeyCommand, ApiKeyEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
};

function decide(command: ApiKeyCommand, key: ApiKey): readonly ApiKeyEvent[] {
  switch (command.type) {
    case 'CreateApiKey': {
      if (key.status !== 'unknown') {
        throw new AppError('conflict', 'api_key_exists', 'This key id is taken; ask again.');
      }
      const { at, ...rest } = command.data;
      return [{ type: 'api_key.created', data: { ...rest, at } }];
    }

    case 'RevokeApiKey': {
      const { userId, reason, at } = command.data;
      // Another user's key and no key at all look alike, or ids could be probed.
      if (key.status === 'unknown' || key.userId !== userId) {
        throw new AppError('not_found', 'api_key_not_found', 'You have no API key with this id.');
      }
      if (key.status === 'revoked') return [];
      const { keyId } = key;
      return [{ type: 'api_key.revoked', data: { keyId, userId, reason, at } }];
    }
  }
}

function evolve(_: ApiKey, event: ApiKeyEvent): ApiKey {
  const { keyId, userId } = event.data;
  switch (event.type) {
    case 'api_key.created':
      return { status: 'active', keyId, userId };
    case 'api_key.revoked':
      return { status: 'revoked', keyId, userId };
  }
}
