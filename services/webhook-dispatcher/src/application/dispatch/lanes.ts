import type { Job, Target } from './job.js';
import { NEW_PACE, type Pace } from './pace.js';
import type { TokenBucket } from './token-bucket.js';

/** The queue of one webhook: first in, first out, and nobody else's deliveries behind it. */
export interface Lane {
  readonly webhookId: string;
  /** All deliveries of a webhook are its owner's, and so of one shard. */
  readonly shard: number;
  /** Of the lease under which jobs of it were taken last; undefined: none was yet. */
  epoch: string | undefined;
  /** Undefined until it is loaded. */
  target: Target | undefined;
  /** The webhook changed since the target was loaded. */
  stale: boolean;
  /** The oldest version of the webhook that the queued jobs may be sent with. */
  wantedVersion: number;
  queue: Job[];
  underWay: number;
  pace: Pace;
  /** What its attempts have taken, for its turns among the others. */
  usedMs: number;
  /**
   * The number of the read during which jobs were last turned away; 0: none waits in the table.
   * Those that come later must not overtake them.
   */
  spilledIn: number;
  /** Sent, and not yet written. */
  unwritten: number;
  /** The kind of event that was sent last; of a half-open circuit that is its probe. */
  lastKind: string | undefined;
  /** Of an ordered webhook: before this time the oldest that waits in the table is not due. */
  headDueAtMs: number;
  /** Present while the webhook has a rate limit. */
  bucket: TokenBucket | undefined;
  /** Runs until the bucket lets the next go. */
  refill: NodeJS.Timeout | undefined;
}

/** More would only move the queue from the table into memory. */
export const LANE_JOBS_MAX = 1_000;
/** Of a webhook that is slow: what it can use before the next read of the table. */
export const SLOW_LANE_JOBS_MAX = 16;
const LANES_MAX = 20_000;
const EVICTION_TRIES_MAX = 100;

/** All lanes of this replica. A quiet one is kept, so that its webhook need not be loaded each time. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #onDeleted: (webhookId: string) => void;

  constructor(onDeleted: (webhookId: string) => void) {
    this.#onDeleted = onDeleted;
  }

  get(webhookId: string): Lane | undefined {
    return this.#lanes.get(webhookId);
  }

  /** Undefined when there are too many, all of them with something to remember. */
  open({ webhookId, shard }: Pick<Job, 'webhookId' | 'shard'>): Lane | undefined {
    const existing = this.#lanes.get(webhookId);
    if (existing !== undefined) return existing;
    if (this.#lanes.size >= LANES_MAX && !this.#evict()) return undefined;

    const lane: Lane = {
      webhookId,
      shard,
      epoch: undefined,
      target: undefined,
      stale: false,
      wantedVersion: 0,
      queue: [],
      underWay: 0,
      pace: NEW_PACE,
      usedMs: 0,
      spilledIn: 0,
      unwritten: 0,
      lastKind: undefined,
      headDueAtMs: 0,
      bucket: undefined,
      refill: undefined,
    };
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  delete(lane: Lane): void {
    clearTimeout(lane.refill);
    this.#lanes.delete(lane.webhookId);
    this.#onDeleted(lane.webhookId);
  }

  [Symbol.iterator](): Iterator<Lane> {
    return this.#lanes.values();
  }

  #evict(): boolean {
    let tries = 0;
    for (const lane of this.#lanes.values()) {
      if (isQuiet(lane)) {
        this.delete(lane);
        return true;
      }
      this.#lanes.delete(lane.webhookId);
      // To the end, or the next search would try the same ones.
      this.#lanes.set(lane.webhookId, lane);
      if (++tries === EVICTION_TRIES_MAX) return false;
    }
    return false;
  }
}

/** One that waits in the table for longer is found there again, and then not before others. */
const isQuiet = (lane: Lane): boolean =>
  lane.queue.length === 0 &&
  lane.underWay === 0 &&
  lane.unwritten === 0 &&
  (lane.spilledIn === 0 ||
    lane.pace.kind === 'slow' ||
    lane.target?.ordered === true ||
    lane.target?.status === 'paused');

/** One with a rate limit has in memory what it may be sent in a second: the rest would only wait. */
export const jobsMaxOf = ({ pace, bucket }: Lane): number => {
  const max = pace.kind === 'slow' ? SLOW_LANE_JOBS_MAX : LANE_JOBS_MAX;
  return bucket === undefined ? max : Math.min(max, Math.ceil(bucket.perS));
};
