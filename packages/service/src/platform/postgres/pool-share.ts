import { deferred, semaphore } from '@junction/async';
import type { Pool, PoolClient } from 'pg';

/** Milliseconds to wait for a connection: as long as a pool itself waits. */
const WAIT_MAX_MS = 5_000;
const WAITING_MAX = 1_000;

/**
 * Restricts a pool to `max` connections at once for some of its users, however many users those are; the rest is left
 * for the others. A user who waits for too long is refused as by the pool: an outage.
 */
export function poolShare(pool: Pool, max: number): Pool {
  const through = semaphore({
    atOnceMax: max,
    waitingMax: WAITING_MAX,
    waitMaxMs: WAIT_MAX_MS,
    refusal: () => new DOMException('No connection came free in time.', 'TimeoutError'),
  });
  let waiting = 0;
  const counted = <T>(work: () => Promise<T>): Promise<T> => {
    let waits = 1;
    const begin = () => {
      waiting -= waits;
      waits = 0;
    };
    waiting += waits;
    return through(() => {
      begin();
      return work();
    }).finally(begin);
  };

  return Object.create(pool, {
    waitingCount: { get: () => pool.waitingCount + waiting },
    query: {
      value: (...query: unknown[]): Promise<unknown> =>
        counted(() => Reflect.apply(pool.query, pool, query)),
    },
    connect: { value: () => connectThrough(pool, counted) },
  });
}

/** Connects within the bound. Releasing the connection makes room for the next user. */
const connectThrough = (
  pool: Pool,
  through: (work: () => Promise<void>) => Promise<void>,
): Promise<PoolClient> =>
  new Promise((resolve, reject) => {
    const connectAndWait = async () => {
      const client = await pool.connect();
      const released = deferred<void>();
      const release = client.release.bind(client);
      client.release = (error) => {
        release(error);
        released.resolve();
      };
      resolve(client);
      await released.promise;
    };
    through(connectAndWait).catch(reject);
  });
