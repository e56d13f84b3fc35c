import type pg from 'pg';
import type { ClientName } from '../../domain/connection/events.js';

export interface ConnectionCount {
  readonly identityProvider: string;
  readonly provider: string;
  readonly status: string;
  readonly count: number;
}

/** Counts connections by client and status. Reads all rows. */
export async function connectionsByStatus(pool: pg.Pool): Promise<readonly ConnectionCount[]> {
  const { rows } = await pool.query<ConnectionCount>(
    `select identity_provider as "identityProvider", provider, status, count(*)::int as count
       from connections group by 1, 2, 3`,
  );
  return rows;
}

export interface RevocationBacklog {
  readonly client: ClientName;
  readonly count: number;
  /** Seconds that the oldest has been waiting. */
  readonly oldestS: number;
}

/** Counts tokens that are still to be revoked, of the clients that have any. */
export async function revocationBacklog(pool: pg.Pool): Promise<readonly RevocationBacklog[]> {
  const { rows } = await pool.query<RevocationBacklog>(
    `select client, count(*)::int as count,
            greatest(0, extract(epoch from now() - min(created_at)))::float8 as "oldestS"
       from provider_revocations group by client`,
  );
  return rows;
}
