import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { emptied } from './emptied.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

export interface BacklogRuns {
  readonly deliveries: number;
  /** Retries that wait meanwhile. */
  readonly pending: number;
  /** Webhooks of others, each with one retry that waits meanwhile: few, and many. */
  readonly webhooks: readonly [few: number, many: number];
}

/**
 * Measures the same load without and with many deliveries that wait for a retry; then the load of one user with retries
 * of many webhooks, and without them before and after. Each state is measured twice.
 */
export async function measureBacklog(world: World, runs: BacklogRuns): Promise<Figures> {
  const { pool, receiver } = world;
  const { deliveries, pending, webhooks } = runs;
  const users = await world.usersAt(receiver.plainUrl, USERS);
  const oneUser = users.slice(0, 1);
  const twice = async (of: readonly string[]) => {
    const perS = async () => (await emptied(world, { users: of, deliveries })).perS;
    return mean([await perS(), await perS()]);
  };
  const without = await twice(users);
  await addPending(world, pending);
  const beside = await twice(users);
  await pool.query('truncate pending, webhook_due');

  const before = await twice(oneUser);
  const rates: number[] = [];
  for (const count of webhooks) {
    await addPending(world, count, count);
    rates.push(await twice(oneUser));
    await pool.query('truncate pending, webhook_due');
  }
  const alone = mean([before, await twice(oneUser)]);
  const [few = Number.NaN, many = Number.NaN] = rates;
  return {
    backlog_ratio: beside / without,
    waiting_5k_webhooks_ratio: few / alone,
    waiting_50k_webhooks_ratio: many / alone,
  };
}

/** Adds deliveries that failed before and are tried again in an hour and later, of so many webhooks. */
export async function addPending(
  { pool, run }: World,
  count: number,
  webhooks = 1_000,
): Promise<void> {
  run.say(`${count} retries of ${Math.min(count, webhooks)} webhooks are filed`);
  await pool.query(
    `insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
     select gen_random_uuid(), current_date, md5(webhook::text)::uuid, md5(webhook::text)::uuid,
            webhook % 48, 4, 'retrying', now() + interval '1 hour' + n * interval '50 ms'
       from (select n, n % $2::integer as webhook from generate_series(1, $1::integer) n) retry`,
    [count, webhooks],
  );
  await pool.query('analyze pending, webhook_due');
}
