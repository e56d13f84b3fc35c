import type { Job } from './job.js';

/** Head of what waits for an ordered webhook. */
export interface OrderedHead {
  /** Milliseconds until the oldest delivery is due; 0: it is due. */
  readonly waitMs: number;
  /** Due jobs, from the oldest on. */
  readonly jobs: readonly Job[];
}

/** Heads by webhook; a webhook without an entry has nothing waiting. */
export type OrderedWork = ReadonlyMap<string, OrderedHead>;
