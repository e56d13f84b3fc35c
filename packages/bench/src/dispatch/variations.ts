import type { Figures } from '../suite.js';
import { emptied, type Load } from './emptied.js';
import { USERS } from './throughput.js';
import { FAN_OUT, type World } from './world.js';

export interface VariationRuns {
  readonly deliveries: number;
  /** Where there are many; also the webhooks of those to whom events fan out. */
  readonly webhooks: number;
  readonly backlog: number;
}

/** The same load with one thing about it changed, beside it unchanged. */
export async function measureVariations(
  world: World,
  { deliveries, webhooks, backlog }: VariationRuns,
): Promise<Figures> {
  const { plainUrl, tlsUrl } = world.receiver;
  const perS = async (load: Load) => (await emptied(world, load)).perS;
  const each = (users: readonly string[]) => perS({ users, events: deliveries, deliveries });

  const users = await world.usersAt(plainUrl, USERS);
  const overTls = await world.usersAt(tlsUrl, USERS);
  const many = await world.usersAt(plainUrl, webhooks);
  const fanned = await world.usersAt(plainUrl, webhooks / FAN_OUT, FAN_OUT);

  const before = await each(users);
  const tls = await each(overTls);
  const ofMany = await each(many);
  const fannedOut = await perS({ users: fanned, events: deliveries / FAN_OUT, deliveries });
  const after = await each(users);
  await addPending(world, backlog);
  const beside = [await each(users), await each(users)];
  await world.pool.query('truncate pending');

  const plain = mean([before, after]);
  return {
    tls_ratio: tls / plain,
    thousand_users_per_s: ofMany,
    thousand_users_ratio: ofMany / plain,
    fanout_per_s: fannedOut,
    backlog_ratio: mean(beside) / plain,
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

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
