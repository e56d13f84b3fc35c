import { retry } from '@junction/async';
import { isOutage } from '@junction/errors';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';

const PAUSE_MS = 100;
const PAUSE_MAX_MS = 1_000;

/**
 * Whatever changes a user's connections waits here for its turn, so that a connect, a disconnect, a
 * refresh and the end of the account never see half of each other. Held until the transaction ends;
 * taken before anything else, so nobody waits in a circle.
 */
export const takeTurn = async (tx: pg.ClientBase, userId: string): Promise<void> => {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [userId]);
};

/**
 * A transaction in the user's turn. It is done again from its beginning after a deadlock, so the work must have
 * no effect but through `tx`.
 */
export const inUserTransaction = async <T>(
  pool: pg.Pool,
  userId: string,
  work: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> =>
  inRetriedTransaction(pool, async (tx) => {
    await takeTurn(tx, userId);
    return work(tx);
  });

/** Repeats what must not be lost while the database is away, for so long. `work` must be repeatable. */
export const persistently = async <T>(forMs: number, work: () => Promise<T>): Promise<T> =>
  retry(work, {
    isRetryable: isOutage,
    withinMs: forMs,
    delayMs: (failures) => Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (failures - 1)),
  });
