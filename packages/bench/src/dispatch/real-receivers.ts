import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { meanAnswerMs } from './answer-times.js';
import { emptied, workedOff } from './emptied.js';
import { checkpoint } from './kept-history.js';
import type { World } from './world.js';

/** Medians of the latencies of receivers in milliseconds, by the prefix of their figures. */
export const MEDIANS_MS = {
  receivers_20ms: 20,
  receivers_100ms: 100,
  latency_receivers: 200,
} as const;
const AFTER_CHECKPOINT: keyof typeof MEDIANS_MS = 'latency_receivers';
const COLD_MEDIAN_MS = 100;
/** Number of users with a webhook each: enough for the limit of a single webhook not to bound the whole rate. */
const USERS = 500;

export interface RealReceiversRuns {
  /** Deliveries of each latency: enough for the first second, in which nothing is known, to be a small part. */
  readonly deliveries: number;
  /** Users, whose webhooks no replica knows at a cold start, and their deliveries. */
  readonly cold: { readonly users: number; readonly deliveries: number };
}

/** Measures full topics for receivers that need time for an answer, and a cold start with many of them. */
export async function measureRealReceivers(
  world: World,
  runs: RealReceiversRuns,
): Promise<Figures> {
  return { ...(await byLatency(world, runs)), ...(await coldOverWarm(world, runs.cold)) };
}

/**
 * Measures each latency beside receivers that answer at once, before and after all of them. The first change of a page
 * after a checkpoint logs all of it, so the loads that have budgets, and those beside them, begin with a checkpoint.
 */
async function byLatency(world: World, { deliveries }: RealReceiversRuns): Promise<Figures> {
  const { plainUrl } = world.receiver;
  const prompt = { users: await world.usersAt(plainUrl, USERS), deliveries };
  const promptPerS = async () => {
    await checkpoint(world);
    return (await emptied(world, prompt)).perS;
  };
  const before = await promptPerS();
  const slow: (readonly [name: string, perS: number])[] = [];
  const figures: Record<string, number> = {};
  for (const [name, medianMs] of Object.entries(MEDIANS_MS)) {
    const users = await world.usersAt(`${plainUrl}/${medianMs}ms`, USERS);
    if (name === AFTER_CHECKPOINT) await checkpoint(world);
    const { perS, ...stored } = await emptiedAndStored(world, users, deliveries);
    slow.push([name, perS]);
    figures[`${name}_rows`] = stored.rows;
    figures[`${name}_wal_bytes`] = stored.walBytes;
    figures[`${name}_under_way`] = (perS * meanAnswerMs(medianMs)) / 1_000;
    figures[`${name}_held_ratio`] = await heldRatio(world, deliveries, medianMs);
  }
  const beside = mean([before, await promptPerS()]);
  for (const [name, perS] of slow) figures[`${name}_ratio`] = perS / beside;
  return figures;
}

/** Returns how long requests were held for, over how long the receiver meant to hold them. */
async function heldRatio({ receiver }: World, deliveries: number, medianMs: number) {
  const { heldMs } = await receiver.seen();
  return heldMs / deliveries / meanAnswerMs(medianMs);
}

/** Returns the deliveries a second of a replica that has just started, over those of one that knows all webhooks. */
async function coldOverWarm(
  world: World,
  { deliveries, users: count }: RealReceiversRuns['cold'],
): Promise<Figures> {
  const users = await world.usersAt(`${world.receiver.plainUrl}/${COLD_MEDIAN_MS}ms`, count);
  await checkpoint(world);
  const cold = await emptiedAndStored(world, users, deliveries);
  const dispatcher = await world.start();
  await workedOff(world, { users, deliveries: count });
  await checkpoint(world);
  const warmPerS = await workedOff(world, { users, deliveries });
  await dispatcher.end('SIGTERM');
  return { cold_ratio: cold.perS / warmPerS, cold_rows: cold.rows };
}

/** Empties a topic. Returns the rows that were inserted and the bytes that were logged for a delivery besides. */
async function emptiedAndStored(world: World, users: readonly string[], deliveries: number) {
  const before = await stored(world);
  const { perS } = await emptied(world, { users, deliveries });
  const after = await stored(world);
  return {
    perS,
    rows: (after.rows - before.rows) / deliveries,
    walBytes: (after.wal - before.wal) / deliveries,
  };
}

/** Returns the rows that were ever inserted and the bytes that were ever logged. */
async function stored({ pool }: World): Promise<{ readonly rows: number; readonly wal: number }> {
  const { rows } = await pool.query<{ rows: number; wal: number }>(
    `select (select sum(n_tup_ins)::float8 from pg_stat_user_tables) as rows,
            (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`,
  );
  return rows[0] ?? { rows: Number.NaN, wal: Number.NaN };
}
