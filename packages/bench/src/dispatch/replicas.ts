import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs, until } from '../clock.js';
import { type CpuGroup, cpuGroup } from '../cpu-group.js';
import { processorS } from '../processor-time.js';
import type { ServiceProcess } from '../service-process.js';
import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { EMPTIED_WITHIN_MS } from './emptied.js';
import { fill } from './events.js';
import { sharedBy } from './shares.js';
import type { World } from './world.js';

/** Part of a core that each replica has: four of them leave the others more than a core of two. */
const CORES = 0.2;
/** Replicas of each turn of a load. */
const TURNS = [1, 2, 4] as const;
const REPLICAS_MAX = 4;
/** Loads with new replicas each: machines drift. */
const LOADS = 2;
const SECOND_MS = 1_000;

export interface ReplicasRuns {
  readonly users: number;
  /** Enough for all turns, and for what is delivered between them. */
  readonly events: number;
  /** Deliveries for each replica that joins, after which it is warm, and held like the others. */
  readonly warmUpEvents: number;
  readonly turnSeconds: number;
}

/**
 * Measures how much more two and four replicas deliver than one, each held to a part of a core, while Postgres, Kafka
 * and receiver are free. Replicas join and leave during each load, and each event of it must arrive once.
 */
export async function measureReplicas(world: World, runs: ReplicasRuns): Promise<Figures> {
  const { receiver, run, open } = world;
  const groups = Array.from({ length: REPLICAS_MAX }, () => cpuGroup(CORES, open));
  if (!groups.every((group) => group !== undefined)) {
    run.say(
      'This machine lets nobody make a cgroup, by which replicas are held: nothing is measured.',
    );
    return {};
  }
  const users = await world.usersAt(receiver.plainUrl, runs.users);
  const turns: Turn[] = [];
  let doubled = 0;
  for (let load = 0; load < LOADS; load++) {
    const ended = await oneLoad(world, { users, groups, runs, replicas: [] });
    turns.push(...ended.turns);
    doubled += ended.doubled;
  }
  const meanOf = (count: number, of: keyof Turn) =>
    mean(turns.filter((turn) => turn.count === count).map((turn) => turn[of]));
  const figures = {
    replicas_1_per_s: meanOf(1, 'perS'),
    replicas_2_ratio: meanOf(2, 'perS') / meanOf(1, 'perS'),
    replicas_4_ratio: meanOf(4, 'perS') / meanOf(1, 'perS'),
    replicas_doubled: doubled,
    replicas_4_postgres_us: meanOf(4, 'postgresS') * 1e6,
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => !Number.isNaN(value)));
}

interface HeldLoad {
  /** Replicas that run. */
  readonly replicas: ServiceProcess[];
  /** A group for each of them. */
  readonly groups: readonly CpuGroup[];
  readonly users: readonly string[];
  readonly runs: ReplicasRuns;
}

async function oneLoad(world: World, load: HeldLoad) {
  const { users, groups, runs, replicas } = load;
  const { producer, receiver } = world;
  await fill(producer, { users, deliveries: runs.events });
  await receiver.reset('ids');
  const turns: Turn[] = [];
  for (const count of TURNS) {
    await scale(world, load, count);
    turns.push(await turn(world, count, runs.turnSeconds));
  }
  const { count: delivered } = await receiver.seen();
  const isTooShort = delivered >= runs.events;
  if (isTooShort) world.run.say('All was delivered before the last turn ended: it says nothing.');
  await scale(world, load, 2);
  for (const group of groups) group.release();
  const doubled = await doubledOnceAllCame(world, runs.events);
  await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
  return { turns: isTooShort ? [] : turns, doubled };
}

/**
 * Has replicas leave or join. All are free until those that joined are warm, because compiling is no delivering, and
 * because one that is faster than the others would file what they then have to send.
 */
async function scale(
  world: World,
  { replicas, groups, runs }: HeldLoad,
  count: number,
): Promise<void> {
  for (const group of groups) group.release();
  const leaving = replicas.splice(count);
  await Promise.all(leaving.map((replica) => replica.end('SIGTERM')));
  const joining = groups.slice(replicas.length, count);
  replicas.push(...(await Promise.all(joining.map(() => world.start()))));
  await sharedBy(world, count);
  const { count: before } = await world.receiver.seen();
  const warm = Math.min(before + joining.length * runs.warmUpEvents, runs.events);
  await world.receiver.received(warm, EMPTIED_WITHIN_MS);
  replicas.forEach((replica, n) => {
    groups[n]?.hold(replica.pid);
  });
}

interface Turn {
  /** Replicas. */
  readonly count: number;
  readonly perS: number;
  /** Seconds of Postgres' processor time for a delivery. */
  readonly postgresS: number;
}

async function turn(
  { receiver, backends, run }: World,
  count: number,
  seconds: number,
): Promise<Turn> {
  const now = async () => ({
    ms: nowMs(),
    count: (await receiver.seen()).count,
    postgresS: processorS(backends.pids().postgres),
  });
  const before = await now();
  await sleep(seconds * SECOND_MS, undefined, { signal: run.signal });
  const after = await now();
  const delivered = after.count - before.count;
  return {
    count,
    perS: (delivered / (after.ms - before.ms)) * SECOND_MS,
    postgresS: (after.postgresS - before.postgresS) / delivered,
  };
}

/** Waits until each event has come, by its id, and returns how many requests were more than that. */
async function doubledOnceAllCame(
  { receiver, run, settled }: World,
  events: number,
): Promise<number> {
  const haveAllCome = async () => ((await receiver.seen()).distinct >= events ? true : undefined);
  const patience = { deadlineMs: EMPTIED_WITHIN_MS, signal: run.signal };
  await until('Delivering each event', haveAllCome, patience);
  await settled();
  const { count, distinct } = await receiver.seen();
  return count - distinct;
}
