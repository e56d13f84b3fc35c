import type pg from 'pg';
import { nowMs, until } from '../clock.js';
import { type CpuGroup, cpuGroup } from '../cpu-group.js';
import { newUsers } from '../dispatch/events.js';
import { paced } from '../paced.js';
import { quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import type { Replica } from './replica.js';
import { asManyAsCanBe, nextOf } from './vending.js';
import type { World } from './world.js';

const SECOND_MS = 1_000;
/** Requests a second of a user who has nothing to do with the refreshes. */
const READS_PER_S = 20;
const VENDS_PER_S = 1_000;
/** Users whose tokens are vended meanwhile: as many as without refreshes. */
const VENDED_MAX = 2_000;
/** The longest that refreshes take which are under way. */
const ENDED_WITHIN_MS = 60_000;

export interface RefreshingRuns {
  readonly refreshes: number;
  /** Time within which they fall due. */
  readonly dueWithinS: number;
  readonly aloneSeconds: number;
  /** Seconds of vending as fast as can be, and of vending at a steady rate. */
  readonly vendSeconds: number;
}

/** Refreshes that are due are made ahead: first all of them succeed, and then the provider refuses all of them. */
export async function measureRefreshing(world: World, runs: RefreshingRuns): Promise<Figures> {
  const { refreshes, dueWithinS, aloneSeconds } = runs;
  const [reader = '', ...users] = newUsers(refreshes + 1);
  const group = cpuGroup(1, world.open);
  const replica = await world.start();
  world.run.say(`${refreshes} users connect`);
  await replica.connect([reader, ...users]);
  const vended = await vendedMeanwhile(world, { replica, group, users, seconds: runs.vendSeconds });
  const read = () => readFor(1, world, replica, reader);
  const measure = async (name: string): Promise<Figures> => {
    world.run.say(`${refreshes} refreshes that are ${name}`);
    const alone = await usedBy(replica, () => readFor(aloneSeconds, world, replica, reader));
    await makeDue(world.pool, users, dueWithinS);
    const during = await usedBy(replica, async () => {
      const tookMs: number[] = [];
      do tookMs.push(...(await read()));
      while ((await dueSoon(world.pool)) > 0);
      return tookMs;
    });
    // The cost of the reads, and of an idle service, is not that of the refreshes.
    const reads = during.tookMs.length / alone.tookMs.length;
    return {
      [`refresh_${name}_cpu_ms`]: (during.cpuMs - alone.cpuMs * reads) / refreshes,
      [`refresh_${name}_statements`]: (during.statements - alone.statements * reads) / refreshes,
      [`refresh_${name}_per_s`]: refreshes / during.seconds,
      [`refresh_${name}_get_p50_ratio`]: quantile(during.tookMs, 0.5) / quantile(alone.tookMs, 0.5),
    };
  };
  const saved = await measure('saved');
  await world.refuseRefreshes();
  return { ...vended, ...saved, ...(await measure('refused')) };
}

interface VendedMeanwhile {
  readonly replica: Replica;
  /** A cgroup of one core; undefined where there is none. */
  readonly group: CpuGroup | undefined;
  readonly users: readonly string[];
  readonly seconds: number;
}

/** Vends tokens while those of all users are to be refreshed: as fast as can be, and on one core at a steady rate. */
async function vendedMeanwhile(
  { pool, run }: World,
  { replica, group, users, seconds }: VendedMeanwhile,
): Promise<Figures> {
  run.say(`vending beside ${users.length} refreshes`);
  const vendedUsers = users.slice(0, VENDED_MAX);
  await makeDue(pool, users, 0);
  const { perS } = await asManyAsCanBe(replica, vendedUsers, seconds);
  const figures: Record<string, number> = { vend_refreshing_per_s: perS };
  if (group === undefined) {
    run.say('This machine lets nobody make a cgroup: vending on one core is not measured.');
  } else {
    group.hold(replica.pid);
    const vend = (n: number) => replica.vend(nextOf(vendedUsers, n));
    const tookMs = await paced(vend, { perS: VENDS_PER_S, seconds }, run.signal);
    group.release();
    figures['vend_refreshing_1000_p99_ms'] = quantile(tookMs, 0.99);
  }
  await pool.query(`update credentials set refresh_at = now() + interval '1 hour'`);
  const haveEnded = async () => ((await dueSoon(pool)) === 0 ? true : undefined);
  const patience = { deadlineMs: ENDED_WITHIN_MS, signal: run.signal };
  await until('Ending the refreshes under way', haveEnded, patience);
  return figures;
}

const readFor = (seconds: number, { run }: World, replica: Replica, userId: string) =>
  paced(() => replica.list(userId), { perS: READS_PER_S, seconds }, run.signal);

/** Returns the times that reads took, and all that the replica used meanwhile. */
async function usedBy(replica: Replica, read: () => Promise<readonly number[]>) {
  const beganMs = nowMs();
  const before = await replica.used();
  const tookMs = await read();
  const after = await replica.used();
  return {
    tookMs,
    seconds: (nowMs() - beganMs) / SECOND_MS,
    cpuMs: (after.cpuS - before.cpuS) * SECOND_MS,
    statements: after.statements - before.statements,
  };
}

const makeDue = (pool: pg.Pool, users: readonly string[], withinS: number) =>
  pool.query(
    `update credentials set refresh_at = now() + random() * make_interval(secs => $2)
      where connection_id in (select connection_id from connections where user_id = any ($1))`,
    [users, withinS],
  );

/** Counts refreshes that are due, under way, or due before long. */
async function dueSoon(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ due: number }>(
    `select count(*)::int as due from credentials where refresh_at < now() + interval '5 minutes'`,
  );
  return rows[0]?.due ?? 0;
}
