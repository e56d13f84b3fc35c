import type { Event } from '@junction/eventsourcing';

/**
 * The cause of a key's end: its owner, an operator, the end of the owner's account, or a link that takes changes
 * back.
 */
export type ApiKeyRevocationReason = 'user' | 'operator' | 'user_deleted' | 'undo';

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * `name` is a personal field: sealed with the user's own key wherever it is stored. The key itself
 * is in no event: a table holds its hash.
 */
export type ApiKeyEvent =
  | Event<
      'api_key.created',
      {
        keyId: string;
        userId: string;
        name: string;
        scopes: readonly string[];
        /** Absent: it does not expire. */
        expiresAt?: string | undefined;
        at: string;
      }
    >
  | Event<
      'api_key.rotated',
      {
        keyId: string;
        userId: string;
        /** The version of the new secret, counted from 1. */
        secretVersion: number;
        /** Until when the last secret counts as well. */
        previousValidUntil: string;
        /** Secrets that count no more from then on. */
        endedSecretVersions: readonly number[];
        at: string;
      }
    >
  | Event<
      'api_key.revoked',
      { keyId: string; userId: string; reason: ApiKeyRevocationReason; at: string }
    >;
