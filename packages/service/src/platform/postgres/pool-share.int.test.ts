import { afterEach, describe, expect, it } from '@jest/globals';
import { isOutage } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import type { Pool } from 'pg';
import { closeLater, closeOpened, readableLog } from '../../../test/loopback.js';
import { postgresPool } from './pool.js';
import { poolShare } from './pool-share.js';

const database = useDatabase();

afterEach(closeOpened);

describe('a share of a pool', () => {
  it('leaves the rest of the connections to others, however many use it', async () => {
    const { pool, share } = open();
    const held = [await share.connect(), await share.connect()];
    const waiting = [share.query('select 1 as one'), inTransaction(share, one)];
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(await inTransaction(pool, one)).toBe(1);
    expect(share.waitingCount).toBe(2);

    for (const client of held) client.release();
    const [queried, transacted] = await Promise.all(waiting);
    expect([queried, transacted]).toEqual([expect.objectContaining({ rows: [{ one: 1 }] }), 1]);
    expect(share.waitingCount).toBe(0);
  });

  it('takes a place back when its work fails', async () => {
    const { share } = open();
    const failing = Array.from({ length: 5 }, () => share.query('select nothing from nowhere'));
    const failed = (await Promise.allSettled(failing)).map(({ status }) => status);
    expect(new Set(failed)).toEqual(new Set(['rejected']));
    await expect(inTransaction(share, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await inTransaction(share, one)).toBe(1);
  });

  it('refuses those who wait for too long as an outage', async () => {
    const { share } = open();
    const held = [await share.connect(), await share.connect()];
    const error = await share.query('select 1').catch((error: unknown) => error);
    expect(isOutage(error)).toBe(true);
    for (const client of held) client.release();
    expect(await inTransaction(share, one)).toBe(1);
  }, 10_000);
});

const one = async (tx: Pick<Pool, 'query'>): Promise<unknown> =>
  (await tx.query<{ one: number }>('select 1 as one')).rows[0]?.one;

/** Opens a pool of three connections, of which the share may hold two. */
function open() {
  const { log } = readableLog();
  const pool = postgresPool(database().url, { name: 'test-share', max: 3, log });
  closeLater(() => pool.end());
  return { pool, share: poolShare(pool, 2) };
}
