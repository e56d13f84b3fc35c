import type { Event } from '@junction/eventsourcing';

/** The audience and scopes for which a client may get a token. */
export interface Grant {
  /** The service the token is for. */
  readonly audience: string;
  readonly scopes: readonly string[];
}

/** Public keys (RFC 7517). No private member is ever stored. */
export interface PublicKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * A secret is in no event: a table holds its hash.
 */
export type ClientEvent =
  | Event<
      'client.registered',
      { clientId: string; name: string; grants: readonly Grant[]; at: string }
    >
  | Event<
      'client.secret_added',
      {
        clientId: string;
        /** Counted from 1. */
        secretVersion: number;
        /** Until when the last secret counts as well. */
        previousValidUntil: string;
        at: string;
      }
    >
  | Event<
      'client.keys_set',
      {
        clientId: string;
        jwks: PublicKeys;
        /** Until when its secrets count as well. */
        secretsValidUntil: string;
        at: string;
      }
    >
  | Event<'client.revoked', { clientId: string; at: string }>;
