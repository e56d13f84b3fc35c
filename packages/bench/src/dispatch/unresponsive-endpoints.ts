import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures } from '../suite.js';
import { addPending } from './backlog.js';
import { fill, newUsers } from './events.js';
import { latencyAt } from './latency.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

const HEALTHY_PER_S = 150;
const MEMORY_LOAD_PER_S = 500;
const SAMPLE_SECONDS = 5;
/** Milliseconds until attempts to endpoints that never answer have taken all the room that they can get. */
const HANGING_AFTER_MS = 5_000;
const AT_ONCE = 10_000;
const BUDGET_FACTOR = 1.5;
const BUDGET_MS = 5;

/** Returns the p99 that healthy endpoints may have beside endpoints that hang: 1.5 times as long, or 5 ms more. */
export const p99BudgetMs = (healthyP99Ms: number): number =>
  Math.max(healthyP99Ms * BUDGET_FACTOR, healthyP99Ms + BUDGET_MS);

export interface UnresponsiveRuns {
  readonly webhooks: number;
  readonly pending: number;
  readonly hung: number;
  readonly memorySeconds: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/**
 * Memory with many webhooks and many deliveries that wait for a retry, while the events of many users come in;
 * and then healthy endpoints beside many that never answer, each of which has a delivery due.
 */
export async function measureUnresponsiveEndpoints(
  world: World,
  runs: UnresponsiveRuns,
): Promise<Figures> {
  const { receiver, pool, run } = world;
  const healthy = await world.usersAt(receiver.plainUrl, USERS);
  run.say(`${runs.webhooks} webhooks are filed`);
  const users = await addWebhooks(world, receiver.plainUrl, runs.webhooks - runs.hung);
  const hung = await world.usersAt(receiver.hungUrl, runs.hung);
  await addPending(world, runs.pending);
  const rssMb = await memoryUnder(world, users, runs);
  const beside = await besideHung(world, healthy, hung, runs);
  await pool.query('truncate pending');
  return { rss_100k_webhooks_mb: rssMb, ...beside };
}

/** The highest resident memory, looked at every 5 s. */
async function memoryUnder(
  world: World,
  users: readonly string[],
  { memorySeconds }: UnresponsiveRuns,
): Promise<number> {
  const dispatcher = await world.start();
  const samples: number[] = [];
  // Other users each time, so that the dispatcher has to remember as many as possible.
  for (let at = 0; at < memorySeconds; at += SAMPLE_SECONDS) {
    const from = (at * MEMORY_LOAD_PER_S) % users.length;
    const some = users.slice(from, from + SAMPLE_SECONDS * MEMORY_LOAD_PER_S);
    await latencyAt(world, some, { perS: MEMORY_LOAD_PER_S, seconds: SAMPLE_SECONDS });
    samples.push((await dispatcher.used()).rssMb);
  }
  await dispatcher.end('SIGTERM');
  return Math.max(...samples);
}

async function besideHung(
  world: World,
  healthy: readonly string[],
  hung: readonly string[],
  { warmUpSeconds, seconds }: UnresponsiveRuns,
): Promise<Figures> {
  const dispatcher = await world.start();
  await latencyAt(world, healthy, { perS: HEALTHY_PER_S, seconds: warmUpSeconds });
  const allHealthy = await latencyAt(world, healthy, { perS: 2 * HEALTHY_PER_S, seconds });
  await fill(world.producer, { users: hung, deliveries: hung.length });
  await sleep(HANGING_AFTER_MS, undefined, { signal: world.run.signal });
  const beside = await latencyAt(world, healthy, { perS: HEALTHY_PER_S, seconds });
  await dispatcher.end('SIGKILL');
  return {
    unresponsive_p50_ms: beside.p50,
    unresponsive_p99_ms: beside.p99,
    unresponsive_p50_ratio: beside.p50 / allHealthy.p50,
    unresponsive_p99_of_budget: beside.p99 / p99BudgetMs(allHealthy.p99),
  };
}

/** Adds webhooks of new users, one each, as rows: as requests they would take minutes. */
export async function addWebhooks(
  { pool }: World,
  url: string,
  count: number,
): Promise<readonly string[]> {
  const users = newUsers(count);
  // The trigger would bump the webhook index once for each row.
  await pool.query('alter table webhooks disable trigger webhooks_bump_index');
  for (let from = 0; from < count; from += AT_ONCE) {
    await pool.query(
      `insert into webhooks (webhook_id, user_id, url, href, events, status, paused, has_secret,
                             secret_version, version, created_at, updated_at)
       select gen_random_uuid(), u, $2 || '/hooks/' || u, $2 || '/hooks/' || u,
              '{inbox.organized}', 'active', false, false, 0, 1, now(), now()
         from unnest($1::uuid[]) u`,
      [users.slice(from, from + AT_ONCE), url],
    );
  }
  await pool.query('alter table webhooks enable trigger webhooks_bump_index');
  await pool.query('analyze webhooks');
  return users;
}
