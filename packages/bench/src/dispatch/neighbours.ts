import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures } from '../suite.js';
import { trickle } from './events.js';
import { latencyAt } from './latency.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

const PER_S = 150;
/** So long until those that never answer are known as such. */
const KNOWN_AFTER_MS = 3_000;
const KNOWN_BEFORE_S = 5;
const GRANTED_FACTOR = 1.5;
const GRANTED_MS = 5;

/** What the plan grants healthy endpoints beside hung ones: 1.5 times as long, or 5 ms more. */
export const grantedMs = (p99Ms: number): number =>
  Math.max(p99Ms * GRANTED_FACTOR, p99Ms + GRANTED_MS);

export interface NeighbourRuns {
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/**
 * 300 a second to endpoints that answer, and then 150 to these beside as many to endpoints that never do: the
 * same load for all that comes before the sending. `alone` are the 150 by themselves.
 */
export async function measureNeighbours(
  world: World,
  { warmUpSeconds, seconds }: NeighbourRuns,
): Promise<Figures> {
  const { receiver, producer, pool, run } = world;
  const healthy = await world.usersAt(receiver.plainUrl, USERS);
  const hung = await world.usersAt(receiver.hungUrl, USERS);
  const dispatcher = await world.startDispatcher();
  await latencyAt(world, healthy, { perS: PER_S, seconds: warmUpSeconds });
  const alone = await latencyAt(world, healthy, { perS: PER_S, seconds });
  const allWell = await latencyAt(world, healthy, { perS: 2 * PER_S, seconds });
  const beyond = { perS: PER_S, seconds: seconds + KNOWN_BEFORE_S };
  const hanging = trickle(producer, hung, beyond, run.signal);
  await sleep(KNOWN_AFTER_MS, undefined, { signal: run.signal });
  const beside = await latencyAt(world, healthy, { perS: PER_S, seconds });
  await hanging;
  await dispatcher.end('SIGKILL');
  await pool.query('truncate pending');
  return {
    alone_p50_ms: alone.p50,
    alone_p99_ms: alone.p99,
    well_neighbour_p50_ms: allWell.p50,
    well_neighbour_p99_ms: allWell.p99,
    hung_neighbour_p50_ms: beside.p50,
    hung_neighbour_p99_ms: beside.p99,
    hung_neighbour_p50_ratio: beside.p50 / allWell.p50,
    hung_neighbour_ratio: beside.p99 / allWell.p99,
    hung_neighbour_of_granted: beside.p99 / grantedMs(allWell.p99),
  };
}
