import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Delays each connection by `waitMs`, as a busy pool does. Statements are then so far apart that kills
 * and pauses fall between them.
 */
export function delayConnections(pool: pg.Pool, waitMs: number): void {
  const connect = pool.connect.bind(pool);
  type Ready = Parameters<typeof connect>[0];
  // Transactions ask for a promise, single queries of the pool are called back.
  const busy = (ready?: Ready) => {
    const waited = sleep(waitMs);
    if (ready === undefined) return waited.then(async () => connect());
    return void waited.then(() => connect(ready));
  };
  pool.connect = busy as pg.Pool['connect'];
}
