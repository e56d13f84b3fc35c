import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { inBoundedTransaction } from './bounded-transaction.js';
import { classifyError } from './classify-error.js';

const database = useDatabase();

describe('a transaction that takes too long', () => {
  it('is cut off, leaves nothing, and counts as a failure of the infrastructure', async () => {
    const { pool } = database();
    await pool.query('create table marks (n int)');
    const tooLong = inBoundedTransaction(
      pool,
      async (tx) => {
        await tx.query('insert into marks values (1)');
        await tx.query('select pg_sleep(60)');
      },
      { deadlineMs: 100 },
    );

    const error: unknown = await tooLong.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(classifyError(error)).toBe('infrastructure');
    expect((await pool.query('select * from marks')).rows).toEqual([]);
  });

  it('is cut off when it waits for something that is no query', async () => {
    const never = new Promise<never>(() => undefined);
    const tooLong = inBoundedTransaction(database().pool, async () => never, { deadlineMs: 100 });
    await expect(tooLong).rejects.toThrow('longer than 100 ms');
  });

  it('returns the result of work that ends in time', async () => {
    expect(await inBoundedTransaction(database().pool, async () => 'done')).toBe('done');
  });
});
