import { deferred, semaphore } from '@junction/async';
import type { Pool, PoolClient } from 'pg';

/** As long as a pool itself has one wait for a connection. */
const WAIT_MAX_MS = 5_000;
const WAITING_MAX = 1_000;

/**
 * The same pool for some of those who use it: they hold at most so many of its connections at once, however many of
 * them there are, and the rest is for the others. Who waits for too long is refused as by the pool: an outage.
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

/** Its place in the share is given back with the connection. */
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
