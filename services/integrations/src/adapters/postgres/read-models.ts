import { type ProjectionSet, rowProjection } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import { connectionRow } from '../../projections/connection-row.js';
import { connectionCodec } from './event-codec.js';

/** What a request must read back is written in the transaction of its events. */
export const inline = [rowProjection(connectionRow)];

export interface ReadModelParts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
}

/** All read models of this service, for listing and rebuilding them. */
export const readModels = ({ pool, vault }: ReadModelParts): ProjectionSet<ConnectionEvent> => ({
  pool,
  codec: connectionCodec(vault),
  inline,
});
