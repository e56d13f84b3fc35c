const SECOND_MS = 1_000;

/** Allowance of so many calls a second, and of no more than a second's worth at once. */
export interface Allowance {
  /** Returns how many calls may be made now. `take` counts the calls that are made. */
  available(nowMs: number): number;
  take(count: number): void;
}

/** Creates an allowance that begins with one call. `perS` may be below 1. */
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
