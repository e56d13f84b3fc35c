import { inTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';

const DEADLINE_MS = 30_000;

/**
 * A transaction that ends. After the deadline its connection is cut, which makes the server roll
 * back whatever the work still does with it, and it rejects with a TimeoutError.
 */
export const inBoundedTransaction = <T>(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<T> =>
  inTransaction(pool, async (tx) => {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // A pool's client is a whole Client; ending it while a query runs destroys its socket.
        (tx as unknown as pg.Client).end().catch(() => undefined);
        reject(new TimeoutError(`The transaction took longer than ${deadlineMs} ms.`));
      }, deadlineMs);
    });
    try {
      return await Promise.race([work(tx), tooLate]);
    } finally {
      clearTimeout(timer);
    }
  });

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
