import { AppError } from '@junction/errors';
import type { Command, DataOf, Decider } from '@junction/eventsourcing';
import type { ApiKeyEvent, ApiKeyRevocationReason } from './events.js';

/** `at` is ISO 8601 in UTC. */
export type ApiKeyCommand =
  | Command<'CreateApiKey', DataOf<ApiKeyEvent, 'api_key.created'>>
  | Command<'RotateApiKey', { userId: string; previousValidUntil: string; at: string }>
  | Command<'RevokeApiKey', { userId: string; reason: ApiKeyRevocationReason; at: string }>;

interface Owned {
  readonly keyId: string;
  readonly userId: string;
}

export type ApiKey =
  | { readonly status: 'unknown' }
  | (Owned & {
      readonly status: 'active';
      /** The version of the newest secret. */
      readonly secretVersion: number;
      /** Until when the secret before that counts. */
      readonly previousValidUntil?: string;
    })
  | (Owned & { readonly status: 'revoked' });

export const apiKeyDecider: Decider<ApiKey, ApiKeyCommand, ApiKeyEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
};

function decide(command: ApiKeyCommand, key: ApiKey): readonly ApiKeyEvent[] {
  switch (command.type) {
    case 'CreateApiKey': {
      if (key.status !== 'unknown') {
        throw new AppError('api_key_exists', 'This key id is taken; ask again.');
      }
      return [{ type: 'api_key.created', data: command.data }];
    }

    case 'RotateApiKey': {
      const { userId, previousValidUntil, at } = command.data;
      const current = owned(key, userId);
      if (current.status === 'revoked') throw notFound();
      const { keyId, secretVersion: last, previousValidUntil: before } = current;
      // A key has two secrets at most: the one before the last ends now, whatever was left of it.
      const endedSecretVersions = [
        ...(before !== undefined && before > at ? [last - 1] : []),
        ...(previousValidUntil <= at ? [last] : []),
      ];
      const data = { keyId, userId, secretVersion: last + 1, previousValidUntil };
      return [{ type: 'api_key.rotated', data: { ...data, endedSecretVersions, at } }];
    }

    case 'RevokeApiKey': {
      const { userId, reason, at } = command.data;
      const { keyId, status } = owned(key, userId);
      if (status === 'revoked') return [];
      return [{ type: 'api_key.revoked', data: { keyId, userId, reason, at } }];
    }
  }
}

/** Another user's key and no key at all look alike, or ids could be probed. */
function owned(key: ApiKey, userId: string): Exclude<ApiKey, { status: 'unknown' }> {
  if (key.status !== 'unknown' && key.userId === userId) return key;
  throw notFound();
}

const notFound = (): AppError =>
  new AppError('api_key_not_found', 'You have no API key with this id.');

function evolve(_: ApiKey, event: ApiKeyEvent): ApiKey {
  const { keyId, userId } = event.data;
  switch (event.type) {
    case 'api_key.created':
      return { status: 'active', keyId, userId, secretVersion: 1 };
    case 'api_key.rotated': {
      const { secretVersion, previousValidUntil } = event.data;
      return { status: 'active', keyId, userId, secretVersion, previousValidUntil };
    }
    case 'api_key.revoked':
      return { status: 'revoked', keyId, userId };
  }
}
