import { nowMs } from '../clock.js';
import { slope } from '../statistics.js';
import type { Figures } from '../suite.js';
import { latencyAt } from './latency.js';
import type { World } from './world.js';

const MS_PER_MIN = 60_000;
const SAMPLE_SECONDS = 5;
/** One has no slope. */
const SAMPLES_MIN = 2;

export interface SteadyRuns {
  /** Each with a webhook. */
  readonly users: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Of memory. */
  readonly watchedMs: number;
}

/** Latency at two rates with many webhooks, and then what memory does while it goes on. */
export async function measureSteady(world: World, runs: SteadyRuns): Promise<Figures> {
  const { warmUpSeconds, seconds, watchedMs } = runs;
  const users = await world.usersAt(world.receiver.plainUrl, runs.users);
  const dispatcher = await world.start();
  await latencyAt(world, users, { perS: 500, seconds: warmUpSeconds });
  const slow = await latencyAt(world, users, { perS: 200, seconds });
  const fast = await latencyAt(world, users, { perS: 1_000, seconds });

  const samples: (readonly [minute: number, mb: number])[] = [];
  const beganMs = nowMs();
  do {
    await latencyAt(world, users, { perS: 200, seconds: SAMPLE_SECONDS });
    samples.push([(nowMs() - beganMs) / MS_PER_MIN, (await dispatcher.used()).rssMb]);
  } while (samples.length < SAMPLES_MIN || nowMs() - beganMs < watchedMs);
  await dispatcher.end('SIGTERM');
  return {
    p50_200_ms: slow.p50,
    p99_200_ms: slow.p99,
    p50_1000_ms: fast.p50,
    p99_1000_ms: fast.p99,
    rss_mb: Math.max(...samples.map(([, mb]) => mb)),
    rss_slope_mb_per_min: slope(samples),
  };
}
