import { beforeAll, describe, expect, it } from '@jest/globals';
import { STATISTICS, settled, useDatabase } from '@junction/testing';
import pg from 'pg';
import { integrations } from '../src/adapters/postgres/connections/connection-reads.js';
import { postgresConnections } from '../src/adapters/postgres/connections/connections.js';
import { postgresHistory } from '../src/adapters/postgres/history/history.js';
import { integrationsSchema } from './schema.js';

/** A single connection has nearly all refreshes, and one user most connections, among thousands that have one each. */
const CONNECTIONS = 3_000;
const OF_HEAVY = 10_000;
const LIMIT = 50;
const [HEAVY, LIGHT] = [0, 1].map((n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);

const database = useDatabase(integrationsSchema);

beforeAll(async () => {
  const { pool } = database();
  await pool.query(ONE_EACH, [CONNECTIONS]);
  await pool.query(REFRESHES, ['con_1', CONNECTIONS, 1]);
  await settled(pool);
  await pool.query(MORE_OF_HEAVY, [OF_HEAVY, HEAVY]);
  await pool.query(REFRESHES, ['con_0', 0, OF_HEAVY]);
});

type Read = (db: pg.Pool) => Promise<unknown>;
const page = { before: OF_HEAVY + 2, limit: LIMIT };
const refreshes = (connectionId: string) => (db: pg.Pool) =>
  postgresHistory(db, undefined as never).refreshes(connectionId, page);
const READS: readonly (readonly [what: string, table: string, read: Read])[] = [
  ['connections', 'connections', (db) => integrations.rows(db, { user_id: LIGHT })],
  [
    'connections of a kind',
    'connections',
    (db) => postgresConnections(db).ofKind(LIGHT ?? '', 'mailbox'),
  ],
  ['a few refreshes', 'refreshes', refreshes('con_1')],
  ['the latest refreshes of many', 'refreshes', refreshes('con_0')],
];

describe.each(STATISTICS)('with statistics %s', (_, make) => {
  beforeAll(() => database().pool.query(make));

  it.each(READS)('%s are read past nothing else', async (__, table, read) => {
    // A single connection, whose reads are counted as soon as they are over.
    const pool = new pg.Pool({ connectionString: database().url, max: 1 });
    try {
      const before = await rowsReadOf(pool, table);
      await read(pool);
      const rows = (await rowsReadOf(pool, table)) - before;
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThanOrEqual(2 * LIMIT);
    } finally {
      await pool.end();
    }
  });
});

async function rowsReadOf(pool: pg.Pool, table: string): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ read: number }>(
    'select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relid = $1::regclass',
    [table],
  );
  return rows[0]?.read ?? Number.NaN;
}

const ONE_EACH = `
insert into connections (connection_id, user_id, identity_provider, provider, status, credential_version,
                         granted_scopes, missing_scopes, account, account_id, renewable, connected_at, version)
select 'con_' || n, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'acme', 'mailbox', 'active', 1,
       '{}', '{}', 'a@example.com', n::text, true, now(), 1
  from generate_series(0, $1::int) n`;

const MORE_OF_HEAVY = `
insert into connections (connection_id, user_id, identity_provider, provider, status, credential_version,
                         granted_scopes, missing_scopes, account, account_id, renewable, connected_at, version)
select 'con_more_' || n, $2, 'acme', 'mailbox', 'active', 1, '{}', '{}', 'a@example.com', 'more' || n, true, now(), 1
  from generate_series(1, $1::int) n`;

const REFRESHES = `
insert into refreshes (connection_id, credential_version, lease_owner, at, expires_at, granted_scopes, missing_scopes)
select c.connection_id, n + 1, gen_random_uuid(), now(), now(), '{}', '{}'
  from (select connection_id from connections where connection_id ~ '^con_[0-9]+$' order by connection_id = $1 desc
         limit $2::int + 1) c cross join generate_series(1, $3::int) n
    on conflict do nothing`;
