import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { emptied } from './emptied.js';
import { DATA_BYTES } from './events.js';
import type { World } from './world.js';

const BARE = path.join(import.meta.dirname, 'bare-process.js');
/** Size of the envelope, which makes a bare body as long as a delivered one. */
const ENVELOPE_BYTES = 190;
export const USERS = 50;

export interface ThroughputRuns {
  readonly bareRequests: number;
  readonly warmUpEvents: number;
  readonly events: number;
}

interface BareRun {
  readonly perS: number;
  readonly cpuPer10k: number;
}

/** A filled topic emptied beside a bare loop, before and after; and once more with a fifth of its records invalid. */
export async function measureThroughput(world: World, runs: ThroughputRuns): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, USERS);
  const load = (deliveries: number) => ({ users, deliveries });
  await emptied(world, load(runs.warmUpEvents));
  const before = await bare(world, runs.bareRequests);
  const bytesBefore = await databaseBytes(world);
  const ours = await emptied(world, load(runs.events));
  const bytes = (await databaseBytes(world)) - bytesBefore;
  const after = await bare(world, runs.bareRequests);
  const besideBad = await emptied(world, { ...load(runs.events), invalidEvery: 4 });
  const barePerS = mean([before.perS, after.perS]);
  const bareCpuPer10k = mean([before.cpuPer10k, after.cpuPer10k]);
  return {
    bare_per_s: barePerS,
    deliveries_per_s: ours.perS,
    ratio: ours.perS / barePerS,
    cpu_s_per_10k: ours.cpuPer10k,
    bare_cpu_s_per_10k: bareCpuPer10k,
    cpu_ratio: ours.cpuPer10k / bareCpuPer10k,
    sql_per_delivery: ours.sqlPerDelivery,
    bytes_per_delivery: bytes / runs.events,
    bad_records_ratio: besideBad.perS / ours.perS,
  };
}

async function bare(
  { receiver, node, run: { signal } }: World,
  requests: number,
): Promise<BareRun> {
  const args = [BARE, receiver.plainUrl, String(requests), String(DATA_BYTES + ENVELOPE_BYTES)];
  const { stdout } = await promisify(execFile)(node, args, { signal });
  return JSON.parse(stdout) as BareRun;
}

/** Returns the size of the database without the table of pending deliveries, which reuses the space of deleted rows. */
async function databaseBytes({ pool }: Pick<World, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select (pg_database_size(current_database())
             - coalesce(pg_total_relation_size(to_regclass('pending')), 0))::float8 as bytes`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}
