import type { Figures } from '../suite.js';
import { emptied } from './emptied.js';
import { fill } from './events.js';
import type { World } from './world.js';

/** Medians of the latencies of receivers in milliseconds, by the prefix of their figures. */
const MEDIANS_MS = { receivers_20ms: 20, receivers_100ms: 100, latency_receivers: 200 } as const;
const COLD_MEDIAN_MS = 100;
/** So many webhooks that the limit of each is none of all. */
const USERS = 500;
const RECEIVED_WITHIN_MS = 300_000;

export interface RealReceiversRuns {
  readonly deliveries: number;
  /** Users whose webhooks no replica knows at a cold start. */
  readonly users: number;
}

/** Measures full topics for receivers that need time for an answer, and a cold start with many of them. */
export async function measureRealReceivers(
  world: World,
  runs: RealReceiversRuns,
): Promise<Figures> {
  return { ...(await byLatency(world, runs)), cold_ratio: await coldOverWarm(world, runs) };
}

async function byLatency(world: World, { deliveries }: RealReceiversRuns): Promise<Figures> {
  const { plainUrl } = world.receiver;
  const perSAt = async (url: string) =>
    (await emptied(world, { users: await world.usersAt(url, USERS), deliveries })).perS;
  const immediate = await perSAt(plainUrl);
  const figures: Record<string, number> = {};
  for (const [name, medianMs] of Object.entries(MEDIANS_MS)) {
    const before = await stored(world);
    figures[`${name}_ratio`] = (await perSAt(`${plainUrl}/${medianMs}ms`)) / immediate;
    const after = await stored(world);
    figures[`${name}_rows`] = (after.rows - before.rows) / deliveries;
    figures[`${name}_wal_bytes`] = (after.wal - before.wal) / deliveries;
  }
  return figures;
}

/** Returns the deliveries a second of a replica that has just started, over those of one that knows all webhooks. */
async function coldOverWarm(
  world: World,
  { deliveries, users: count }: RealReceiversRuns,
): Promise<number> {
  const { producer, receiver, start, settled } = world;
  const users = await world.usersAt(`${receiver.plainUrl}/${COLD_MEDIAN_MS}ms`, count);
  const cold = await emptied(world, { users, deliveries });
  const dispatcher = await start();
  await receiver.reset();
  await fill(producer, users, count);
  await receiver.received(count, RECEIVED_WITHIN_MS);
  await settled();
  await receiver.reset();
  await fill(producer, users, deliveries);
  const { firstMs, lastMs } = await receiver.received(deliveries, RECEIVED_WITHIN_MS);
  await settled();
  await dispatcher.end('SIGTERM');
  return cold.perS / ((deliveries / (lastMs - firstMs)) * 1_000);
}

/** Returns the rows that were ever inserted and the bytes that were ever logged. */
async function stored({ pool }: World): Promise<{ readonly rows: number; readonly wal: number }> {
  const { rows } = await pool.query<{ rows: number; wal: number }>(
    `select (select sum(n_tup_ins)::float8 from pg_stat_user_tables) as rows,
            (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`,
  );
  return rows[0] ?? { rows: Number.NaN, wal: Number.NaN };
}
