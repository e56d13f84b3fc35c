import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { rowsRead, STATISTICS, settled, useDatabase } from '@junction/testing';
import type pg from 'pg';
import { apiKeys } from '../src/adapters/postgres/api-key/api-key-reads.js';
import { operators, users, userWithCounts } from '../src/adapters/postgres/operators/user-reads.js';
import { liveSessions } from '../src/adapters/postgres/session/session-reads.js';
import { postgresTroubles } from '../src/adapters/postgres/trouble/troubles.js';
import { testRing } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

/** A single user has nearly all keys, sessions and troubles, among thousands that have one each. */
const USERS = 3_000;
const OF_HEAVY = 10_000;
const LIMIT = 50;
const BOUND = 200;
const [HEAVY, LIGHT] = [0, 1].map((n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);

const database = useDatabase(authSchema);

beforeAll(async () => {
  const { pool } = database();
  await fill(pool, { from: 0, to: USERS, each: 1 });
  await settled(pool);
  await fill(pool, { from: 0, to: 0, each: OF_HEAVY });
  // The oldest user is the only operator.
  await pool.query(
    `update users set role = 'operator' where email = 'user' || $1 || '@example.com'`,
    [USERS],
  );
});

type Read = (pool: pg.Pool) => Promise<unknown>;
const page = { email: null, role: null, before_at: null, before_id: null, limit: LIMIT };
const before = { before_at: new Date(), before_id: HEAVY };
const READS: readonly (readonly [what: string, table: string, read: Read])[] = [
  ['the first users', 'users', (db) => users.rows(db, page)],
  ['users further back', 'users', (db) => users.rows(db, { ...page, ...before })],
  [
    'the user of an address',
    'users',
    (db) => users.rows(db, { ...page, email: 'user1@example.com' }),
  ],
  ['the operators', 'users', (db) => users.rows(db, { ...page, role: 'operator' })],
  ['the operators alone', 'users', (db) => operators.rows(db, {})],
  ['a user', 'api_keys', (db) => userWithCounts.rows(db, { user_id: LIGHT })],
  ['keys', 'api_keys', (db) => apiKeys.rows(db, { user_id: LIGHT })],
  ['sessions', 'sessions', (db) => liveSessions.rows(db, { user_id: LIGHT })],
  ['troubles', 'troubles', (db) => postgresTroubles(db, testRing()).of(LIGHT ?? '')],
];

describe.each(STATISTICS)('with statistics %s', (_, make) => {
  beforeAll(() => database().pool.query(make));

  it.each(READS)('%s are read past nobody else', async (__, table, read) => {
    const rows = await inTransaction(database().pool, (tx) =>
      rowsRead(tx, table, () => read(tx as unknown as pg.Pool)),
    );
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(LIMIT + BOUND);
  });
});

/** Gives users, who are made where there is none, so many keys, sessions and troubles each. */
async function fill(
  pool: pg.Pool,
  { from, to, each }: { readonly from: number; readonly to: number; readonly each: number },
): Promise<void> {
  const ids = `select n, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid as user_id,
                      now() - n * interval '1 s' as at
                 from generate_series(${from}, ${to}) n`;
  await pool.query(
    `insert into users (user_id, version, created_at, email)
     select user_id, 1, at, 'user' || n || '@example.com' from (${ids}) u on conflict do nothing`,
  );
  const many = `(${ids}) u cross join generate_series(1, ${each}) i`;
  await pool.query(
    `insert into api_keys (key_id, version, user_id, name, scopes, created_at)
     select 'key_' || gen_random_uuid(), 1, user_id, 'a key', '{}', at - i * interval '1 s' from ${many}`,
  );
  await pool.query(
    `insert into sessions (session_id, version, started_at, user_id)
     select 'ses_' || gen_random_uuid(), 1, at - i * interval '1 s', user_id from ${many}`,
  );
  await pool.query(
    `insert into troubles (about, user_id, kind, at, mails)
     select gen_random_uuid()::text, user_id, 'over', at - i * interval '1 s', 0 from ${many}`,
  );
}
