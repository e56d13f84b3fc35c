import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures } from '../suite.js';
import { fill, newUsers } from './events.js';
import { latencyAt } from './latency.js';
import { grantedMs } from './neighbours.js';
import { USERS } from './throughput.js';
import { addPending } from './variations.js';
import type { World } from './world.js';

const HEALTHY_PER_S = 150;
const CROWD_PER_S = 500;
const SAMPLE_SECONDS = 5;
/** So long until those that never answer have every place they can get. */
const HANGING_AFTER_MS = 5_000;
const AT_ONCE = 10_000;

export interface CrowdRuns {
  readonly webhooks: number;
  readonly pending: number;
  readonly hung: number;
  readonly memorySeconds: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/**
 * Memory with so many webhooks and so many deliveries that wait for a retry, while the events of many users come
 * in; and then healthy endpoints beside a crowd of hung ones, each of which has a delivery due.
 */
export async function measureCrowd(world: World, runs: CrowdRuns): Promise<Figures> {
  const { receiver, pool, run } = world;
  const healthy = await world.usersAt(receiver.plainUrl, USERS);
  run.say(`${runs.webhooks} webhooks are filed`);
  const crowd = await addWebhooks(world, receiver.plainUrl, runs.webhooks - runs.hung);
  const hung = await world.usersAt(receiver.hungUrl, runs.hung);
  await addPending(world, runs.pending);
  const rssMb = await memoryUnder(world, crowd, runs);
  const beside = await besideHung(world, healthy, hung, runs);
  await pool.query('truncate pending');
  return { rss_crowd_mb: rssMb, ...beside };
}

/** The most that is resident, every 5 s. */
async function memoryUnder(
  world: World,
  users: readonly string[],
  { memorySeconds }: CrowdRuns,
): Promise<number> {
  const dispatcher = await world.startDispatcher();
  const samples: number[] = [];
  // Each time others of them, so that as many as possible have to be remembered.
  for (let at = 0; at < memorySeconds; at += SAMPLE_SECONDS) {
    const from = (at * CROWD_PER_S) % users.length;
    const some = users.slice(from, from + SAMPLE_SECONDS * CROWD_PER_S);
    await latencyAt(world, some, { perS: CROWD_PER_S, seconds: SAMPLE_SECONDS });
    samples.push((await dispatcher.used()).rssMb);
  }
  await dispatcher.end('SIGTERM');
  return Math.max(...samples);
}

async function besideHung(
  world: World,
  healthy: readonly string[],
  hung: readonly string[],
  { warmUpSeconds, seconds }: CrowdRuns,
): Promise<Figures> {
  const dispatcher = await world.startDispatcher();
  await latencyAt(world, healthy, { perS: HEALTHY_PER_S, seconds: warmUpSeconds });
  const well = await latencyAt(world, healthy, { perS: 2 * HEALTHY_PER_S, seconds });
  await fill(world.producer, hung, hung.length);
  await sleep(HANGING_AFTER_MS, undefined, { signal: world.run.signal });
  const beside = await latencyAt(world, healthy, { perS: HEALTHY_PER_S, seconds });
  await dispatcher.end('SIGKILL');
  return {
    hung_crowd_p50_ms: beside.p50,
    hung_crowd_p99_ms: beside.p99,
    hung_crowd_p50_ratio: beside.p50 / well.p50,
    hung_crowd_of_granted: beside.p99 / grantedMs(well.p99),
  };
}

/** Webhooks of new users, one each, as rows: so many requests would take minutes. */
async function addWebhooks(
  { pool }: World,
  url: string,
  count: number,
): Promise<readonly string[]> {
  const users = newUsers(count);
  // What counts the changes of webhooks would count these one by one.
  await pool.query('alter table webhooks disable trigger webhooks_bump_index');
  for (let from = 0; from < count; from += AT_ONCE) {
    await pool.query(
      `insert into webhooks (webhook_id, user_id, url, href, events, status, paused, has_secret,
                             secret_version, version, created_at, updated_at)
       select 'wh_' || gen_random_uuid(), u, $2 || '/hooks/' || u, $2 || '/hooks/' || u,
              '{inbox.organized}', 'active', false, false, 0, 1, now(), now()
         from unnest($1::uuid[]) u`,
      [users.slice(from, from + AT_ONCE), url],
    );
  }
  await pool.query('alter table webhooks enable trigger webhooks_bump_index');
  await pool.query('analyze webhooks');
  return users;
}
