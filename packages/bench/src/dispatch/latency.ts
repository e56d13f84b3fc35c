import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Rate } from '../paced.js';
import { quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import { ask, ended } from './ask.js';
import { newUsers, TOPIC, trickle } from './events.js';
import type { World } from './world.js';

const BARE = path.join(import.meta.dirname, 'bare-consumer-process.js');

const RECEIVED_WITHIN_MS = 60_000;

/** Milliseconds from before an event was published to the last byte of the request that delivers it. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Publishes at a steady rate, and waits until all of it is delivered. */
export async function latencyAt(
  { receiver, producer, run }: World,
  users: readonly string[],
  rate: Rate,
): Promise<Latency> {
  await receiver.reset(true);
  const sent = await trickle(producer, users, rate, run.signal);
  const { latenciesMs } = await receiver.received(sent, RECEIVED_WITHIN_MS);
  return { p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) };
}

export interface LatencyRuns {
  /** Number of users, each with a webhook. */
  readonly users: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Rates at which latency and processor time are measured, in events a second. */
const RATES = [20, 200, 1_000] as const;

interface Steady extends Latency {
  /** Seconds of processor time for a delivery. */
  readonly cpuS: number;
}

/** Measures latency and processor time at steady rates, beside a bare consumer which posts what it reads. */
export async function measureLatency(world: World, runs: LatencyRuns): Promise<Figures> {
  const bare = await ofBareConsumer(world, runs);
  const users = await world.usersAt(world.receiver.plainUrl, runs.users);
  const dispatcher = await world.start();
  const ours = await atAllRates(world, users, runs, () => dispatcher.used());
  await dispatcher.end('SIGTERM');
  return Object.assign({}, ...RATES.map((perS, n) => figures(perS, ours[n], bare[n]))) as Figures;
}

const figures = (perS: number, ours = NOTHING, bare = NOTHING): Figures => ({
  [`latency_${perS}_p50_ms`]: ours.p50,
  [`latency_${perS}_p99_ms`]: ours.p99,
  [`latency_${perS}_p50_ratio`]: ours.p50 / bare.p50,
  [`latency_${perS}_p99_ratio`]: ours.p99 / bare.p99,
  [`steady_${perS}_cpu_us`]: ours.cpuS * 1e6,
  [`steady_${perS}_cpu_ratio`]: ours.cpuS / bare.cpuS,
});

const NOTHING: Steady = { p50: Number.NaN, p99: Number.NaN, cpuS: Number.NaN };

/**
 * Measures a bare consumer with users who have no webhooks, so that the dispatcher sends nothing for the same
 * events later.
 */
async function ofBareConsumer(world: World, runs: LatencyRuns) {
  const { node, receiver, brokers, run } = world;
  const args = [BARE, receiver.plainUrl, brokers.join(','), TOPIC];
  const consumer = spawn(node, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    await once(consumer, 'message', { signal: run.signal });
    return await atAllRates(world, newUsers(runs.users), runs, () => ask(consumer, {}));
  } finally {
    await ended(consumer, () => consumer.kill('SIGKILL'));
  }
}

async function atAllRates(
  world: World,
  users: readonly string[],
  { warmUpSeconds, seconds }: LatencyRuns,
  used: () => Promise<{ readonly cpuS: number }>,
): Promise<readonly Steady[]> {
  await latencyAt(world, users, { perS: 500, seconds: warmUpSeconds });
  const all: Steady[] = [];
  for (const perS of RATES) {
    const before = await used();
    const latency = await latencyAt(world, users, { perS, seconds });
    const cpuS = ((await used()).cpuS - before.cpuS) / (perS * seconds);
    all.push({ ...latency, cpuS });
  }
  return all;
}
