import { nowMs } from '../clock.js';
import { slope } from '../statistics.js';
import type { Figures } from '../suite.js';
import { latencyAt } from './latency.js';
import type { World } from './world.js';

const MS_PER_MIN = 60_000;
const SAMPLE_SECONDS = 5;
/** A slope needs two samples. */
const SAMPLES_MIN = 2;

export interface SteadyRuns {
  /** Number of users, each with a webhook. */
  readonly users: number;
  /** Milliseconds during which memory is sampled. */
  readonly watchedMs: number;
}

/** Measures the memory at a steady rate with many webhooks. */
export async function measureSteady(world: World, runs: SteadyRuns): Promise<Figures> {
  const { watchedMs } = runs;
  const users = await world.usersAt(world.receiver.plainUrl, runs.users);
  const dispatcher = await world.start();

  const samples: (readonly [minute: number, mb: number])[] = [];
  const beganMs = nowMs();
  do {
    await latencyAt(world, users, { perS: 200, seconds: SAMPLE_SECONDS });
    samples.push([(nowMs() - beganMs) / MS_PER_MIN, (await dispatcher.used()).rssMb]);
  } while (samples.length < SAMPLES_MIN || nowMs() - beganMs < watchedMs);
  await dispatcher.end('SIGTERM');
  return {
    rss_mb: Math.max(...samples.map(([, mb]) => mb)),
    rss_slope_mb_per_min: slope(samples),
  };
}
