import type pg from 'pg';
import { isRolledBack, retried } from './retry.js';

export interface TransactionOptions {
  /**
   * False: the commit does not wait for the disk. A crash of the server undoes the last moments as a whole, so false is
   * for work that is then repeated. Default true.
   */
  readonly waitsForDisk?: boolean;
  /**
   * True: nothing is written, and statements are planned to walk an index in its order, as far as a `limit` goes. Left
   * to itself, Postgres expects of a key as many rows as keys have on average, and may read and sort all that it has,
   * which can be millions. Default false.
   */
  readonly walksIndexes?: boolean;
}

/** Runs work in a transaction of its own: committed when it returns, rolled back when it throws. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const tx = await pool.connect();
  // A connection that breaks while it is ours emits an error nobody else listens to, which would
  // end the process. The query under way rejects with the same error.
  tx.on('error', ignore);
  let broken: Error | undefined;
  try {
    // `begin` is not awaited: the first statement of the work may follow it at once. A `begin` fails only with its
    // connection, and then the following statements fail too.
    const begun = tx.query(beginningOf(options));
    begun.catch(ignore);
    const result = await work(tx);
    await begun;
    // A transaction in which a statement failed answers a commit with a rollback, and no error.
    const { command } = await tx.query('commit');
    if (command !== 'COMMIT') throw new Error('A failed statement rolled the transaction back.');
    return result;
  } catch (error) {
    await tx.query('rollback').catch((cause: unknown) => {
      broken = new Error('The connection could not roll back.', { cause });
    });
    throw error;
  } finally {
    tx.off('error', ignore);
    tx.release(broken);
  }
}

/**
 * Runs work in a transaction of its own, and again, a few times with random pauses, when Postgres rolled it back so
 * that another could go on (deadlock, serialization). The work must have no effect but through `tx`, because a retry
 * runs it from its beginning.
 */
export const inRetriedTransaction = async <T>(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> => retried(() => inTransaction(pool, work), isRolledBack);

const beginningOf = ({ waitsForDisk = true, walksIndexes = false }: TransactionOptions): string =>
  [
    'begin',
    ...(waitsForDisk ? [] : ['set local synchronous_commit = off']),
    ...(walksIndexes ? ['set transaction read only', ...WALK_INDEXES] : []),
  ].join('; ');

const WALK_INDEXES = ['sort', 'bitmapscan', 'seqscan'].map(
  (way) => `set local enable_${way} = off`,
);

/** Has the statements of a transaction from here on planned as with `walksIndexes`. */
export const walkIndexes = async (tx: pg.ClientBase): Promise<void> =>
  void (await tx.query(WALK_INDEXES.join('; ')));

/** Runs work in a savepoint: when the work throws, nothing of it stays and the transaction stays usable. */
export async function inSavepoint<T>(tx: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint junction');
  try {
    const result = await work();
    await tx.query('release savepoint junction');
    return result;
  } catch (error) {
    // When even this fails the connection is gone, and the first error says why.
    await tx.query('rollback to savepoint junction; release savepoint junction').catch(ignore);
    throw error;
  }
}

const ignore = (): void => {};
