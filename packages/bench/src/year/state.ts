import { randomUUID } from 'node:crypto';
import { nowMs } from '../clock.js';
import { addPending } from '../dispatch/backlog.js';
import { configure } from '../dispatch/configure.js';
import { emptied } from '../dispatch/emptied.js';
import { fileEvents } from '../dispatch/kept-history.js';
import type { Receiver } from '../dispatch/receiver.js';
import { USERS } from '../dispatch/throughput.js';
import { addWebhooks } from '../dispatch/unresponsive-endpoints.js';
import type { World } from '../dispatch/world.js';

/** Webhooks that one user may have. */
export const WEBHOOKS_OF_USER = 50;
const DAYS = 7;
const DAY_MS = 86_400_000;
export const WEEK_MS = DAYS * DAY_MS;
const MADE_WITHIN_MS = 15 * 60_000;
const BYTES_MAX = 8e9;
const LARGE_BODY_BYTES = 200_000;

/** Numbers of what is kept after a year with a thousand customers. */
const FULL = {
  webhooks: 200_000,
  /** Deliveries of seven days, of some of these webhooks. */
  deliveries: 4_450_000,
  webhooksWithDeliveries: 10_000,
  /** Deliveries of the greedy user's heaviest webhook, a quarter exhausted and a quarter held, and of the others. */
  heavy: 500_000,
  rest: 50_000,
  largeBodies: 600,
  retries: 1_000_000,
  webhooksWithRetries: 5_000,
} as const;

/** The users of the installation that the measurements are about. */
export interface Year {
  /** A user with much, who asks for much. */
  readonly greedy: string;
  /** wh_…, the one with most deliveries. */
  readonly heavyWebhook: string;
  /** Endpoint of all webhooks of the greedy user. */
  readonly greedyReceiver: Receiver;
  /** Users who go about their business. */
  readonly others: readonly string[];
}

/** Returns so many of them in an installation of that size, 1 being the whole. */
export const scaled = (count: number, scale: number, min = 1): number =>
  Math.max(min, Math.round(count * scale));

/**
 * Makes the state. Bodies that are opened are published and delivered by the product itself; all other rows are
 * written as such. Throws when it takes too long, or too much room.
 */
export async function makeYear(
  world: World,
  greedyReceiver: Receiver,
  scale: number,
): Promise<Year> {
  const { pool, run, receiver } = world;
  const beganMs = nowMs();
  const endMs = beganMs + MADE_WITHIN_MS;
  const size = Object.fromEntries(
    Object.entries(FULL).map(([name, count]) => [name, scaled(count, scale, WEBHOOKS_OF_USER)]),
  ) as Record<keyof typeof FULL, number>;

  const [greedy = ''] = await world.usersAt(greedyReceiver.plainUrl, 1);
  run.say(`${size.largeBodies} events of ${LARGE_BODY_BYTES / 1_000} KB are delivered`);
  await emptied(
    { ...world, receiver: greedyReceiver },
    { users: [greedy], deliveries: size.largeBodies, dataBytes: LARGE_BODY_BYTES },
  );
  await addWebhooksOf(world, greedy, greedyReceiver.plainUrl);
  const others = await world.usersAt(receiver.plainUrl, USERS);
  run.say(`${size.webhooks} webhooks are filed`);
  const all = await addWebhooks(world, receiver.plainUrl, size.webhooks);
  await checkBounds(world, endMs);
  const light = await webhooksOf(world, all.slice(0, size.webhooksWithDeliveries));
  const [heavy = '', ...rest] = (await webhooksOf(world, [greedy])).webhookIds;

  const file = (count: number, day: number, webhookIds: readonly string[], of: object) => {
    const perDay = Math.ceil(count / DAYS);
    const fromMs = beganMs - (DAYS - day) * DAY_MS;
    const span = { count: perDay, fromMs, everyMs: DAY_MS / perDay };
    return fileEvents(pool, { ...span, webhookIds, userIds: webhookIds.map(() => greedy), ...of });
  };
  for (let day = 0; day < DAYS; day++) {
    run.say(`the deliveries of day ${day + 1} of ${DAYS} are filed`);
    await file(size.heavy, day, [heavy], { failingEvery: 4 });
    await Promise.all([
      file(size.rest, day, rest, {}),
      file(size.deliveries, day, light.webhookIds, { userIds: light.userIds, failingEvery: 40 }),
    ]);
    await checkBounds(world, endMs);
  }
  await pool.query(HOURS, [DAYS, [greedy, ...all.slice(0, size.webhooksWithDeliveries)]]);
  await addPending(world, size.retries, size.webhooksWithRetries);
  await pool.query('vacuum (analyze) seen_events, deliveries, attempts, outcomes, webhook_hours');
  const bytes = await checkBounds(world, endMs);
  run.say(`made in ${Math.round((nowMs() - beganMs) / 1_000)} s, ${(bytes / 1e9).toFixed(2)} GB`);
  return { greedy, heavyWebhook: `wh_${heavy}`, greedyReceiver, others };
}

/** Gives a user as many more webhooks as there may be. */
async function addWebhooksOf({ start, issuer }: World, userId: string, url: string) {
  const dispatcher = await start();
  const requests = Array.from({ length: WEBHOOKS_OF_USER - 1 }, () => ({
    userId,
    url: `${url}/hooks/${randomUUID()}`,
  }));
  await configure(dispatcher, issuer, requests);
  await dispatcher.end('SIGTERM');
}

/** Returns the webhooks of these users, the oldest first, each with its user at the same place. */
async function webhooksOf({ pool }: World, users: readonly string[]) {
  const { rows } = await pool.query<{ webhook_id: string; user_id: string }>(
    'select webhook_id, user_id from webhooks where user_id = any ($1::uuid[]) order by created_at',
    [users],
  );
  return {
    webhookIds: rows.map(({ webhook_id }) => webhook_id),
    userIds: rows.map(({ user_id }) => user_id),
  };
}

/** Numbers of each hour of so many days, of all webhooks of these users. */
const HOURS = `
insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency, marks)
select webhook_id, date_trunc('hour', now()) - n * interval '1 hour', user_id, 40, 2,
       array_fill(1, array[34]), repeat('1', 30)
  from webhooks, generate_series(1, $1::int * 24) n
 where user_id = any ($2::uuid[])
    on conflict do nothing`;

/** Returns the bytes of the database. Throws when there are too many, or the time is over. */
async function checkBounds({ pool }: World, endMs: number): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  );
  const { bytes = Number.NaN } = rows[0] ?? {};
  if (bytes > BYTES_MAX) throw new Error(`The database has ${bytes} bytes already.`);
  if (nowMs() > endMs) throw new Error(`Making the state took longer than ${MADE_WITHIN_MS} ms.`);
  return bytes;
}
