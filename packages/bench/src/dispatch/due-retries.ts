import type { Figures } from '../suite.js';
import { latencyAt } from './latency.js';
import { USERS } from './throughput.js';
import { addWebhooks, p99BudgetMs } from './unresponsive-endpoints.js';
import type { World } from './world.js';

const FRESH_PER_S = 150;

export interface DueRetriesRuns {
  /** Webhooks that have the retries. */
  readonly webhooks: number;
  readonly retries: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Measures fresh events alone, and beside many retries that become due together, as after an outage of receivers. */
export async function measureDueRetries(world: World, runs: DueRetriesRuns): Promise<Figures> {
  const { receiver, pool, run } = world;
  const fresh = await world.usersAt(receiver.plainUrl, USERS);
  const failed = await addWebhooks(world, receiver.plainUrl, runs.webhooks);
  const dispatcher = await world.start();
  const rate = { perS: FRESH_PER_S, seconds: runs.seconds };
  await latencyAt(world, fresh, { perS: FRESH_PER_S, seconds: runs.warmUpSeconds });
  const alone = await latencyAt(world, fresh, rate);
  run.say(`${runs.retries} retries become due`);
  await pool.query(DUE_RETRIES, [failed, runs.retries / runs.webhooks]);
  const beside = await latencyAt(world, fresh, rate);
  const { rows } = await pool.query<{ left: number }>(LEFT, [failed]);
  await dispatcher.end('SIGKILL');
  await pool.query('truncate pending');
  return {
    due_p50_ratio: beside.p50 / alone.p50,
    due_p99_of_budget: beside.p99 / p99BudgetMs(alone.p99),
    due_retries_per_s: (runs.retries - (rows[0]?.left ?? Number.NaN)) / runs.seconds,
  };
}

/** Adds so many deliveries of each of these users, whose second attempt is due now. */
const DUE_RETRIES = `
with failed as (
  insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body)
  select current_date, gen_random_uuid(), gen_random_uuid(), webhook_id, user_id, 'inbox.organized', '{}'
    from webhooks, generate_series(1, $2::integer)
   where user_id = any ($1::uuid[])
  returning day, delivery_id, webhook_id, user_id)
insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
select delivery_id, day, webhook_id, user_id, hashtext(user_id::text) & 31, 2, 'retrying', now()
  from failed`;

const LEFT =
  'select count(*)::float8 as left from pending where user_id = any ($1::uuid[]) and attempt = 2';
