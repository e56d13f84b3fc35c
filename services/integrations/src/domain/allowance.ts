const SECOND_MS = 1_000;

/** So many a second, and no more than a second's worth at once. */
export interface Allowance {
  /** How many may go now. What is taken is counted by `take`. */
  available(nowMs: number): number;
  take(count: number): void;
}

/** Begins with one. `perS` may be below 1. */
export function allowance(perS: number): Allowance {
  const most = Math.max(1, perS);
  let saved = 1;
  let atMs: number | undefined;
  return {
    available(nowMs) {
      const passedS = Math.max(0, nowMs - (atMs ?? nowMs)) / SECOND_MS;
      saved = Math.min(most, saved + passedS * perS);
      atMs = nowMs;
      return Math.floor(saved);
    },
    take(count) {
      saved -= count;
    },
  };
}
