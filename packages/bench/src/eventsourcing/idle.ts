import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProduct } from '@junction/demo';
import type { BenchRun, Figures } from '../suite.js';

const SERVICES = ['auth', 'integrations', 'webhook-dispatcher'] as const;
/** sysconf(_SC_CLK_TCK), which is 100 on every Linux that Node runs on. */
const TICKS_PER_S = 100;

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
    const used = () => SERVICES.map((name) => cpuSeconds(pids[name]));
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

/** utime and stime of proc(5): the 14th and 15th field, counted behind the name, which may hold spaces. */
function cpuSeconds(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
