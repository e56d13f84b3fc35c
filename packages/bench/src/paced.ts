import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from './clock.js';

const SECOND_MS = 1_000;
const TICK_MS = 1;

export interface Rate {
  readonly perS: number;
  readonly seconds: number;
}

/** Starts each call at its time, whatever became of the calls before. Returns the milliseconds that each call took. */
export async function paced(
  call: (n: number) => Promise<unknown>,
  { perS, seconds }: Rate,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const timed = async (n: number): Promise<number> => {
    const askedMs = nowMs();
    await call(n);
    return nowMs() - askedMs;
  };
  const total = perS * seconds;
  const calls: Promise<number>[] = [];
  const beganMs = nowMs();
  while (calls.length < total) {
    const due = Math.min(total, Math.floor(((nowMs() - beganMs) / SECOND_MS) * perS) + 1);
    while (calls.length < due) calls.push(timed(calls.length));
    await sleep(TICK_MS, undefined, { signal });
  }
  return Promise.all(calls);
}
