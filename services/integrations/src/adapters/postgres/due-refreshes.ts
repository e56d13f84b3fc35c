import type pg from 'pg';
import type { DueRefreshes } from '../../application/needs.js';
import { PROVIDERS, type Provider } from '../../domain/connection/events.js';

/** Longer than a refresh takes: what is not over by then belongs to a replica that died. */
const CLAIM = `interval '90 seconds'`;
const SECOND_MS = 1_000;

/** How much waits, as the metrics tell it. */
export interface Backlog {
  readonly provider: Provider;
  readonly due: number;
  /** Seconds; 0 when nothing is due. */
  readonly oldestS: number;
}

export interface RefreshQueue extends DueRefreshes {
  backlog(): Promise<readonly Backlog[]>;
}

/** The credentials by when they are to be refreshed. Who may refresh, the lease decides. */
export const refreshQueue = (pool: pg.Pool): RefreshQueue => ({
  async claim(provider, limit) {
    const { rows } = await pool.query<{ connection_id: string; credential_version: number }>(
      `update credentials set refresh_at = now() + ${CLAIM}
        where connection_id in (
                select connection_id from credentials
                 where provider = $1 and refresh_at <= now() order by refresh_at limit $2
                   for update skip locked)
       returning connection_id, credential_version`,
      [provider, limit],
    );
    return rows.map((row) => ({
      connectionId: row.connection_id,
      credentialVersion: row.credential_version,
    }));
  },

  async nextInMs(provider) {
    const { rows } = await pool.query<{ in_s: number }>(
      `select extract(epoch from refresh_at - now())::float8 as in_s
         from credentials
        where provider = $1 and refresh_at is not null order by refresh_at limit 1`,
      [provider],
    );
    return rows[0] && rows[0].in_s * SECOND_MS;
  },

  async backlog() {
    const { rows } = await pool.query<{ provider: string; due: number; oldest_s: number }>(
      `select provider, count(*)::int as due,
              extract(epoch from now() - min(refresh_at))::float8 as oldest_s
         from credentials where refresh_at <= now() group by provider`,
    );
    return PROVIDERS.map((provider) => {
      const waiting = rows.find((row) => row.provider === provider);
      return { provider, due: waiting?.due ?? 0, oldestS: waiting?.oldest_s ?? 0 };
    });
  },
});
