import {
  type ProjectionSet,
  rowProjection,
  type WakeCalls,
} from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import { connectionRow } from '../../projections/connection-row.js';
import { connectionCodec } from './connection-codec.js';

/** What a request must read back is written in the transaction of its events. */
export const inline = [rowProjection(connectionRow)];

export interface ReadModelParts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly calls: WakeCalls;
}

/** All read models of this service, for those who keep, list and rebuild them. */
export const readModels = ({
  pool,
  vault,
  calls,
}: ReadModelParts): ProjectionSet<ConnectionEvent> => ({
  pool,
  calls,
  codec: connectionCodec(vault),
  inline,
  asynchronous: [],
});
