import { mean, median } from '../statistics.js';
import type { Figures } from '../suite.js';
import { barePerS } from './bare.js';
import { type Emptied, emptied } from './emptied.js';
import { sendFirstWorld } from './send-first.js';
import type { World } from './world.js';

export const USERS = 50;

export interface ThroughputRuns {
  readonly bareRequests: number;
  readonly warmUpEvents: number;
  readonly events: number;
  /** Turns of the dispatcher, each between two of send-first. */
  readonly turns: number;
}

/** A filled topic emptied in turn with send-first; and once more with a fifth of its records invalid. */
export async function measureThroughput(world: World, runs: ThroughputRuns): Promise<Figures> {
  const { plainUrl } = world.receiver;
  const { users, ours, limits, limitRatio, bytes } = await inTurn(world, plainUrl, runs);
  const besideBad = await emptied(world, { users, deliveries: runs.events, invalidEvery: 4 });
  const bare = await barePerS(world, plainUrl, runs.bareRequests);
  const meanOf = (of: keyof Emptied, all = ours) => mean(all.map((each) => each[of]));
  return {
    send_first_per_s: meanOf('perS', limits),
    deliveries_per_s: meanOf('perS'),
    limit_ratio: limitRatio,
    ratio: meanOf('perS') / bare,
    send_first_cpu_s_per_10k: meanOf('cpuPer10k', limits),
    cpu_s_per_10k: meanOf('cpuPer10k'),
    sql_per_delivery: meanOf('sqlPerDelivery'),
    bytes_per_delivery: bytes / (ours.length * runs.events),
    bad_records_ratio: besideBad.perS / (ours.at(-1)?.perS ?? Number.NaN),
  };
}

/** The same over TLS. */
export async function measureHttps(world: World, runs: ThroughputRuns): Promise<Figures> {
  return { https_limit_ratio: (await inTurn(world, world.receiver.tlsUrl, runs)).limitRatio };
}

/** Lets the dispatcher empty the topic between two turns of send-first: machines drift within minutes. */
async function inTurn(world: World, url: string, { turns, events, warmUpEvents }: ThroughputRuns) {
  const users = await world.usersAt(url, USERS);
  const load = { users, deliveries: events };
  await emptied(world, { users, deliveries: warmUpEvents });
  const least = await sendFirstWorld(world, url);
  const limits = [await emptied(least, load)];
  const ours: Emptied[] = [];
  let bytes = 0;
  while (ours.length < turns) {
    const before = await databaseBytes(world);
    ours.push(await emptied(world, load));
    bytes += (await databaseBytes(world)) - before;
    limits.push(await emptied(least, load));
  }
  const ratios = ours.map(({ perS }, turn) => {
    const beside = limits.slice(turn, turn + 2).map((limit) => limit.perS);
    return perS / mean(beside);
  });
  return { users, ours, limits, limitRatio: median(ratios), bytes };
}

/** Returns the size of the database without the table of pending deliveries, which reuses the space of deleted rows. */
async function databaseBytes({ pool }: Pick<World, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select (pg_database_size(current_database())
             - coalesce(pg_total_relation_size(to_regclass('pending')), 0))::float8 as bytes`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}
