import type { Job } from './job.js';

/** The beginning of what waits for an ordered webhook. */
export interface OrderedHead {
  /** Until the oldest is due; 0: it is. */
  readonly waitMs: number;
  /** From the oldest on, as far as they are due. */
  readonly jobs: readonly Job[];
}

/** By webhook; one that is not there has nothing waiting. */
export type OrderedWork = ReadonlyMap<string, OrderedHead>;
