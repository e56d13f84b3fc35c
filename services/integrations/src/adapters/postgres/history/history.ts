import { camelCased, type SnakeCased } from '@junction/contracts';
import {
  inTransaction,
  type PostgresEventStore,
  statement,
} from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { connectionStream } from '../../../application/handle-command.js';
import type { HistorySlice } from '../../../application/history/ports.js';
import type { RecordedRefresh } from '../../../application/refreshing/ports.js';
import type { ConnectionEvent } from '../../../domain/connection/events.js';

/** Reads the history of a connection: from its stream, and from the table of its refreshes. */
export const postgresHistory = (pool: pg.Pool, store: PostgresEventStore<ConnectionEvent>) => ({
  /** Returns events of a connection, the newest first: those before this version of its stream. */
  async events(connectionId: string, page: HistorySlice) {
    const events = await store.recent(connectionStream(connectionId), page);
    return events.map(({ version, event, metadata: { actor } }) => ({ version, event, actor }));
  },

  /** Returns refreshes of a connection, the newest first: those before this version of its credentials. */
  async refreshes(connectionId: string, { before, limit }: HistorySlice) {
    const values = { connection_id: connectionId, before, limit };
    const { rows } = await inTransaction(pool, (tx) => findRefreshes(tx, values), {
      walksIndexes: true,
    });
    return rows.map(camelCased);
  },
});

const findRefreshes = statement<SnakeCased<RecordedRefresh>>(`
select credential_version, at, expires_at, granted_scopes, missing_scopes from refreshes
 where connection_id = :connection_id and credential_version < :before
 order by credential_version desc limit :limit`);
