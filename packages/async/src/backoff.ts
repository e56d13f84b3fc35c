const FIRST_MS = 100;
const MAX_MS = 2_000;

/**
 * Returns the milliseconds to wait after the 1st, 2nd, … failure in a row: 0.1 s doubling to 2 s, of which a random
 * half is kept, so that many waiters do not come back together. The ceiling is low because the product promises to
 * deliver again within 3 s of Postgres coming back.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return full / 2 + (full / 2) * random();
}
