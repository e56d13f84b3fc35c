import { type Notifier, type ProjectionSet, rowProjection } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { AuthEvent } from '../../domain/auth-event.js';
import { apiKeys } from '../../projections/api-keys.js';
import { sessions } from '../../projections/sessions.js';
import { users } from '../../projections/users.js';
import { eventCodec } from './event-codec.js';

// Rows that others point at come first.
/** What a request must read back is written in the transaction of its events. */
export const inline = [rowProjection(users), rowProjection(sessions), rowProjection(apiKeys)];

export interface ReadModelParts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly notifier: Notifier;
}

/** All read models of this service, for those who keep, list and rebuild them. */
export const readModels = ({
  pool,
  vault,
  notifier,
}: ReadModelParts): ProjectionSet<AuthEvent> => ({
  pool,
  notifier,
  codec: eventCodec(vault),
  inline,
  asynchronous: [],
});
