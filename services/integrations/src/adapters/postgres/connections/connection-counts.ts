import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';

export interface ConnectionCount {
  readonly identityProvider: string;
  readonly provider: string;
  readonly status: string;
  readonly count: number;
}

/** Counts connections by client and status. Reads all rows. */
export const connectionsByStatus = async (pool: pg.Pool): Promise<readonly ConnectionCount[]> =>
  (await countConnections(pool)).rows;

const countConnections = statement<ConnectionCount>(`
select identity_provider as "identityProvider", provider, status, count(*)::int as count
  from connections group by 1, 2, 3`);
