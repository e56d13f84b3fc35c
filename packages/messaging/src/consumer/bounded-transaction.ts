import { inTransaction, type TransactionOptions } from '@junction/eventsourcing/postgres';
import type pg from 'pg';

const DEADLINE_MS = 30_000;

export interface BoundedOptions extends TransactionOptions {
  readonly deadlineMs?: number;
}

/**
 * Runs work in a transaction with a deadline. After the deadline the connection is cut, which makes the server roll
 * back whatever the work still does with it, and the call rejects with a TimeoutError.
 */
export const inBoundedTransaction = <T>(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<T>,
  { deadlineMs = DEADLINE_MS, ...options }: BoundedOptions = {},
): Promise<T> => {
  const bounded = async (tx: pg.PoolClient): Promise<T> => {
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
  };
  return inTransaction(pool, bounded, options);
};

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
