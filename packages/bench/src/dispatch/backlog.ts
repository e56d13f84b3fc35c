import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { emptied } from './emptied.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

export interface BacklogRuns {
  readonly deliveries: number;
  /** Retries that wait meanwhile. */
  readonly pending: number;
}

/** Measures the same load without and with many deliveries that wait for a retry, twice each. */
export async function measureBacklog(
  world: World,
  { deliveries, pending }: BacklogRuns,
): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, USERS);
  const perS = async () => (await emptied(world, { users, deliveries })).perS;
  const without = [await perS(), await perS()];
  await addPending(world, pending);
  const beside = [await perS(), await perS()];
  await world.pool.query('truncate pending');
  return { backlog_ratio: mean(beside) / mean(without) };
}

/** Deliveries that failed before and are tried again in an hour and later. */
export async function addPending({ pool, run }: World, count: number): Promise<void> {
  run.say(`${count} retries are filed`);
  await pool.query(
    `insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
     select gen_random_uuid(), current_date, md5((n % 1000)::text)::uuid, md5((n % 1000)::text)::uuid,
            n % 48, 4, 'retrying', now() + interval '1 hour' + n * interval '50 ms'
       from generate_series(1, $1::integer) n`,
    [count],
  );
  await pool.query('analyze pending');
}
