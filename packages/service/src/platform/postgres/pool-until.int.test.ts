import { afterEach, describe, expect, it } from '@jest/globals';
import { isOutage } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { eventually, useDatabase } from '@junction/testing';
import { closeLater, closeOpened, readableLog } from '../../../test/loopback.js';
import { postgresPool } from './pool.js';
import { poolShare } from './pool-share.js';
import { poolUntil } from './pool-until.js';

const NAME = 'test-pool-until';
const database = useDatabase();

afterEach(closeOpened);

describe('a pool until a signal', () => {
  it.each(['query', 'transaction'])(
    'ends the statement of a %s in the database, and gives the place back',
    async (kind) => {
      const { pool, share, until, abort } = open();
      const sleep = 'select pg_sleep(600)';
      const reading =
        kind === 'query' ? until.query(sleep) : inTransaction(until, (tx) => tx.query(sleep));
      const failure = reading.catch((error: unknown) => error);
      await eventually(async () => expect(await running()).toBe(1));

      abort();
      expect(isOutage(await failure)).toBe(true);
      await eventually(async () => expect(await running()).toBe(0));
      expect((await share.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      expect(pool.totalCount).toBe(1);
    },
  );

  it('gives no connection to those who wait when it ends', async () => {
    const { share, until, abort } = open();
    const held = await share.connect();
    const waiting = until.query('create table made_by_nobody ()').catch((error: unknown) => error);
    abort(new Error('hung up'));
    held.release();
    expect(await waiting).toEqual(new Error('hung up'));
    await expect(until.connect()).rejects.toThrow('hung up');
    const { rows } = await share.query(`select to_regclass('made_by_nobody') as made`);
    expect(rows).toEqual([{ made: null }]);
  });

  it('is the pool itself as long as nothing ends it', async () => {
    const { pool, until, abort } = open();
    expect((await until.query('select $1::int as n', [7])).rows).toEqual([{ n: 7 }]);
    await expect(until.query('select nothing from nowhere')).rejects.toThrow('nowhere');
    abort();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});

/** Opens a pool of one connection for requests, and its view until `abort`. */
function open() {
  const { log } = readableLog();
  const pool = postgresPool(database().url, { name: NAME, max: 1, log });
  closeLater(() => pool.end());
  const share = poolShare(pool, 1);
  const ending = new AbortController();
  const abort = (reason?: Error) => ending.abort(reason);
  return { pool, share, until: poolUntil(share, ending.signal), abort };
}

/** Returns how many statements of the test run in the database. */
const running = async (): Promise<number> => {
  const { rows } = await database().pool.query(
    `select from pg_stat_activity where application_name = $1 and state = 'active'`,
    [NAME],
  );
  return rows.length;
};
