import type pg from 'pg';
import type { DueRefreshes } from '../../../application/ports.js';
import { type ClientName, clientNamed } from '../../../domain/connection/events.js';
import { LAST_TRY_MS } from '../../../domain/refresh-ahead.js';

/**
 * Duration of a claim, longer than a refresh takes: a claim that is still there afterwards belongs to a replica that
 * died.
 */
const CLAIM = `interval '90 seconds'`;
const LAST_TRY = `interval '${LAST_TRY_MS} milliseconds'`;
const SECOND_MS = 1_000;

/** Size of the queue of a client, for metrics. */
export interface Backlog {
  readonly client: ClientName;
  readonly due: number;
  /** Age in seconds of the oldest refresh that is due; 0 when none is due. */
  readonly oldestS: number;
}

export interface RefreshQueue extends DueRefreshes {
  /** Returns the backlogs of these clients, in their order. */
  backlog(clients: readonly ClientName[]): Promise<readonly Backlog[]>;
}

interface DueRow {
  readonly connection_id: string;
  readonly credential_version: number;
  readonly is_too_soon: boolean;
}

/** Returns the queue of credentials by when they are to be refreshed. The lease decides which replica may refresh. */
export const refreshQueue = (pool: pg.Pool): RefreshQueue => ({
  async claim(client, limit) {
    const { rows } = await pool.query<DueRow>(
      `with due as materialized (
         select connection_id,
                -- A holder that let its lease pass may have sent a refresh.
                (answer_lost or lease_until <= now()) is true
                  and expires_at - ${LAST_TRY} > now() as is_too_soon
           from credentials
          where client = $1 and refresh_at <= now() order by refresh_at limit $2
            for update skip locked)
       update credentials k
          set refresh_at = case when is_too_soon then expires_at - ${LAST_TRY}
                                else now() + ${CLAIM} end
         from due where k.connection_id = due.connection_id
       returning k.connection_id, credential_version, is_too_soon`,
      [client, limit],
    );
    return rows
      .filter((row) => !row.is_too_soon)
      .map((row) => ({
        ...clientNamed(client),
        connectionId: row.connection_id,
        credentialVersion: row.credential_version,
      }));
  },

  async nextInMs(client) {
    const { rows } = await pool.query<{ in_s: number }>(
      `select extract(epoch from refresh_at - now())::float8 as in_s
         from credentials
        where client = $1 order by refresh_at limit 1`,
      [client],
    );
    return rows[0] && rows[0].in_s * SECOND_MS;
  },

  async backlog(clients) {
    const { rows } = await pool.query<{ client: string; due: number; oldest_s: number }>(
      `select client, count(*)::int as due,
              extract(epoch from now() - min(refresh_at))::float8 as oldest_s
         from credentials where refresh_at <= now() group by client`,
    );
    return clients.map((client) => {
      const waiting = rows.find((row) => row.client === client);
      return { client, due: waiting?.due ?? 0, oldestS: waiting?.oldest_s ?? 0 };
    });
  },
});
