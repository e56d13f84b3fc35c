import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '@junction/contracts';
import { startProduct } from '@junction/demo';
import { processorS } from '../processor-time.js';
import type { BenchRun, Figures } from '../suite.js';

export interface IdleRuns {
  /** Milliseconds after the start until nothing is left to do. */
  readonly settleMs: number;
  readonly watchedMs: number;
}

/**
 * Measures the processor time of the services, as a percentage of one core, while there are no requests. Returns
 * the highest of the three.
 */
export async function measureIdle(
  { env, signal, say }: BenchRun,
  runs: IdleRuns,
): Promise<Figures> {
  const product = await startProduct(env, {}, signal);
  try {
    const pids = product.pids();
    const used = () => SERVICES.map((name) => processorS(pids[name]));
    await sleep(runs.settleMs, undefined, { signal });
    const before = used();
    const beganMs = performance.now();
    await sleep(runs.watchedMs, undefined, { signal });
    const elapsedS = (performance.now() - beganMs) / 1_000;
    const percents = used().map((seconds, at) => ((seconds - (before[at] ?? 0)) / elapsedS) * 100);
    SERVICES.forEach((name, at) => say(`${name}: ${percents[at]?.toFixed(2)} % of a core`));
    return { idle_cpu_percent: Math.max(...percents) };
  } finally {
    await product.stop();
  }
}
