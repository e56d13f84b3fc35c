import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures } from '../suite.js';
import { trickle } from './events.js';
import { latencyAt } from './latency.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

const PER_S = 150;
/** Milliseconds until endpoints that never answer are known as such. */
const KNOWN_AFTER_MS = 3_000;
const KNOWN_BEFORE_S = 5;
const BUDGET_FACTOR = 1.5;
const BUDGET_MS = 5;

/** Returns the p99 that healthy endpoints may have beside endpoints that hang: 1.5 times as long, or 5 ms more. */
export const p99BudgetMs = (healthyP99Ms: number): number =>
  Math.max(healthyP99Ms * BUDGET_FACTOR, healthyP99Ms + BUDGET_MS);

export interface NoisyNeighbourRuns {
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/**
 * Sends 300 events a second to endpoints that answer, and then 150 to the same endpoints and 150 to endpoints that
 * never answer: the load is the same for every step before the sending.
 */
export async function measureNoisyNeighbours(
  world: World,
  { warmUpSeconds, seconds }: NoisyNeighbourRuns,
): Promise<Figures> {
  const { receiver, producer, pool, run } = world;
  const healthy = await world.usersAt(receiver.plainUrl, USERS);
  const hung = await world.usersAt(receiver.hungUrl, USERS);
  const dispatcher = await world.start();
  await latencyAt(world, healthy, { perS: PER_S, seconds: warmUpSeconds });
  const allHealthy = await latencyAt(world, healthy, { perS: 2 * PER_S, seconds });
  const beyond = { perS: PER_S, seconds: seconds + KNOWN_BEFORE_S };
  const hanging = trickle(producer, hung, beyond, run.signal);
  await sleep(KNOWN_AFTER_MS, undefined, { signal: run.signal });
  const beside = await latencyAt(world, healthy, { perS: PER_S, seconds });
  await hanging;
  await dispatcher.end('SIGKILL');
  await pool.query('truncate pending');
  return {
    all_healthy_p50_ms: allHealthy.p50,
    all_healthy_p99_ms: allHealthy.p99,
    noisy_p50_ms: beside.p50,
    noisy_p99_ms: beside.p99,
    noisy_p50_ratio: beside.p50 / allHealthy.p50,
    noisy_p99_of_budget: beside.p99 / p99BudgetMs(allHealthy.p99),
  };
}
