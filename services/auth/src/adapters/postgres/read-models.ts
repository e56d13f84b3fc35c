import {
  type ProjectionSet,
  rowProjection,
  type WakeCalls,
} from '@junction/eventsourcing-postgres';
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
  readonly calls: WakeCalls;
}

/** All read models of this service, for those who keep, list and rebuild them. */
export const readModels = ({ pool, vault, calls }: ReadModelParts): ProjectionSet<AuthEvent> => ({
  pool,
  calls,
  codec: eventCodec(vault),
  inline,
  asynchronous: [],
});
