import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { bare } from './bare.js';
import { emptied } from './emptied.js';
import type { World } from './world.js';

export const USERS = 50;

export interface ThroughputRuns {
  readonly bareRequests: number;
  readonly warmUpEvents: number;
  readonly events: number;
}

/** A filled topic emptied beside a bare loop, before and after; and once more with a fifth of its records invalid. */
export async function measureThroughput(world: World, runs: ThroughputRuns): Promise<Figures> {
  const { plainUrl } = world.receiver;
  const users = await world.usersAt(plainUrl, USERS);
  const load = (deliveries: number) => ({ users, deliveries });
  await emptied(world, load(runs.warmUpEvents));
  const before = await bare(world, plainUrl, runs.bareRequests);
  const bytesBefore = await databaseBytes(world);
  const ours = await emptied(world, load(runs.events));
  const bytes = (await databaseBytes(world)) - bytesBefore;
  const after = await bare(world, plainUrl, runs.bareRequests);
  const floor = await bare(world, plainUrl, runs.bareRequests, { kind: 'floor' });
  const besideBad = await emptied(world, { ...load(runs.events), invalidEvery: 4 });
  const barePerS = mean([before.perS, after.perS]);
  const bareCpuPer10k = mean([before.cpuPer10k, after.cpuPer10k]);
  return {
    bare_per_s: barePerS,
    deliveries_per_s: ours.perS,
    ratio: ours.perS / barePerS,
    floor_ratio: ours.perS / floor.perS,
    cpu_s_per_10k: ours.cpuPer10k,
    bare_cpu_s_per_10k: bareCpuPer10k,
    cpu_ratio: ours.cpuPer10k / bareCpuPer10k,
    sql_per_delivery: ours.sqlPerDelivery,
    bytes_per_delivery: bytes / runs.events,
    bad_records_ratio: besideBad.perS / ours.perS,
  };
}

/** The same over TLS, beside a bare loop over TLS. */
export async function measureHttps(world: World, runs: ThroughputRuns): Promise<Figures> {
  const { tlsUrl } = world.receiver;
  const users = await world.usersAt(tlsUrl, USERS);
  await emptied(world, { users, deliveries: runs.warmUpEvents });
  const before = await bare(world, tlsUrl, runs.bareRequests);
  const ours = await emptied(world, { users, deliveries: runs.events });
  const after = await bare(world, tlsUrl, runs.bareRequests);
  return { https_ratio: ours.perS / mean([before.perS, after.perS]) };
}

/** Returns the size of the database without the table of pending deliveries, which reuses the space of deleted rows. */
async function databaseBytes({ pool }: Pick<World, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select (pg_database_size(current_database())
             - coalesce(pg_total_relation_size(to_regclass('pending')), 0))::float8 as bytes`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}
