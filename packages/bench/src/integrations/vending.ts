import { nowMs } from '../clock.js';
import { paced } from '../paced.js';
import { quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import type { Replica, Vend } from './replica.js';

const SECOND_MS = 1_000;
const AT_ONCE = 64;

export interface VendingRuns {
  readonly perS: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface Vending {
  readonly users: readonly string[];
  readonly runs: VendingRuns;
}

/** Parts of the steady run, which take turns with as many of the server that reads one row. */
const TURNS = 5;

/** Tokens that live, for users in turn: at a steady rate, and as many as can be had. */
export async function measureVending(
  replica: Replica,
  readRow: Vend,
  { users, runs: { perS, warmUpSeconds, seconds } }: Vending,
  signal: AbortSignal,
): Promise<Figures> {
  const steady = (vend: Vend, forS: number) =>
    paced((n) => vend(nextOf(users, n)), { perS, seconds: forS }, signal);
  for (const vend of [replica.vend, readRow]) await steady(vend, warmUpSeconds);
  const [latenciesMs, rowMs]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    latenciesMs.push(...(await steady(replica.vend, seconds / TURNS)));
    rowMs.push(...(await steady(readRow, seconds / TURNS)));
  }
  const before = await replica.used();
  const { vended, perS: mostPerS } = await asManyAsCanBe(replica, users, seconds);
  const after = await replica.used();
  return {
    vend_p50_ms: quantile(latenciesMs, 0.5),
    vend_p50_ratio: quantile(latenciesMs, 0.5) / quantile(rowMs, 0.5),
    vend_p99_ratio: quantile(latenciesMs, 0.99) / quantile(rowMs, 0.99),
    vend_per_s: mostPerS,
    vend_per_cpu_s: vended / (after.cpuS - before.cpuS),
    vend_statements: (after.statements - before.statements) / vended,
  };
}

/** Returns the user whose turn it is. */
export const nextOf = (users: readonly string[], n: number): string =>
  users[n % users.length] ?? '';

/** Vends for users in turn with 64 calls under way, and returns how often, and how often a second. */
export async function asManyAsCanBe(
  replica: Replica,
  users: readonly string[],
  seconds: number,
): Promise<{ readonly vended: number; readonly perS: number }> {
  let vended = 0;
  const beganMs = nowMs();
  const endMs = beganMs + seconds * SECOND_MS;
  const work = async () => {
    while (nowMs() < endMs) await replica.vend(nextOf(users, vended++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { vended, perS: (vended / (nowMs() - beganMs)) * SECOND_MS };
}
