import type pg from 'pg';

/** Runs work in a transaction of its own: committed when it returns, rolled back when it throws. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const tx = await pool.connect();
  // A connection that breaks while it is ours emits an error nobody else listens to, which would
  // end the process. The query under way rejects with the same error.
  tx.on('error', ignore);
  let broken: Error | undefined;
  try {
    await tx.query('begin');
    const result = await work(tx);
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

/** Work of which nothing stays when it throws, in a transaction that stays usable. */
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
