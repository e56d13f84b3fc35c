import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Rate } from '../paced.js';
import { processorS } from '../processor-time.js';
import { mean, quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import { ask, ended } from './ask.js';
import { emptied } from './emptied.js';
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
  await receiver.reset('latencies');
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

/** A steady rate: latency, and seconds of processor time for a delivery, by who takes them. */
interface Steady extends Latency {
  readonly cpuS: number;
  readonly postgresS: number;
  readonly kafkaS: number;
}

/**
 * Measures latency and processor time at steady rates, beside a bare consumer which posts what it reads, before and
 * after: machines drift within minutes.
 */
export async function measureLatency(world: World, runs: LatencyRuns): Promise<Figures> {
  const before = await ofBareConsumer(world, runs);
  const users = await world.usersAt(world.receiver.plainUrl, runs.users);
  const dispatcher = await world.start();
  const ours = await atAllRates(world, users, runs, () => dispatcher.used());
  await dispatcher.end('SIGTERM');
  const after = await ofBareConsumer(world, runs);
  // The next part is not to begin with the events of the bare consumer.
  await emptied(world, { users, deliveries: runs.users });
  const all = RATES.flatMap((perS, n) => {
    const bare = (of: keyof Steady) => mean([before, after].map((each) => figureOf(each[n], of)));
    return figures(perS, (of) => figureOf(ours[n], of), bare);
  });
  return Object.fromEntries(all.filter(([, value]) => !Number.isNaN(value)));
}

type FigureOf = (of: keyof Steady) => number;

const figureOf = (steady: Steady | undefined, of: keyof Steady): number =>
  steady?.[of] ?? Number.NaN;

const figures = (perS: number, ours: FigureOf, bare: FigureOf): readonly [string, number][] => [
  [`latency_${perS}_p50_ms`, ours('p50')],
  [`latency_${perS}_p99_ms`, ours('p99')],
  [`latency_${perS}_p50_ratio`, ours('p50') / bare('p50')],
  [`latency_${perS}_p99_ratio`, ours('p99') / bare('p99')],
  [`steady_${perS}_cpu_us`, ours('cpuS') * 1e6],
  [`steady_${perS}_cpu_ratio`, ours('cpuS') / bare('cpuS')],
  [`steady_${perS}_postgres_us`, ours('postgresS') * 1e6],
  [`steady_${perS}_kafka_us`, ours('kafkaS') * 1e6],
  [`steady_${perS}_kafka_ratio`, ours('kafkaS') / bare('kafkaS')],
];

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
  const usedByAll = async () => {
    const { postgres, kafka } = world.backends.pids();
    const servers = { postgresS: processorS(postgres), kafkaS: processorS(kafka) };
    return { cpuS: (await used()).cpuS, ...servers };
  };
  await latencyAt(world, users, { perS: 500, seconds: warmUpSeconds });
  const all: Steady[] = [];
  for (const perS of RATES) {
    const before = await usedByAll();
    const latency = await latencyAt(world, users, { perS, seconds });
    const after = await usedByAll();
    const each = (of: keyof typeof before) => (after[of] - before[of]) / (perS * seconds);
    const spent = { cpuS: each('cpuS'), postgresS: each('postgresS'), kafkaS: each('kafkaS') };
    all.push({ ...latency, ...spent });
  }
  return all;
}
