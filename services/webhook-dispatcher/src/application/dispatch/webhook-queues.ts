import type { LastSent } from './circuits.js';
import type { Job, Target } from './job.js';
import { NEW_PACE, type Pace } from './pace.js';
import type { TokenBucket } from './token-bucket.js';

/** The queue of one webhook: first in, first out, and nobody else's deliveries behind it. */
export interface WebhookQueue {
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
  jobs: Job[];
  /** Attempts that wait for the answer of the webhook as it is. */
  underWay: number;
  /** Grows when those that are under way are detached: they asked an older version of the webhook. */
  detached: number;
  pace: Pace;
  /** What its attempts have taken, for its turns among the others. */
  usedMs: number;
  /**
   * The number of the read during which jobs were last turned away; 0: none waits in the table.
   * Those that come later must not overtake them.
   */
  overflowedIn: number;
  /** Sent, and not yet written. */
  unwritten: number;
  /** Of a half-open circuit that is its probe. */
  lastSent: LastSent | undefined;
  /** Of an ordered webhook: before this time the oldest that waits in the table is not due. */
  headDueAtMs: number;
  /** Present while the webhook has a rate limit. */
  bucket: TokenBucket | undefined;
  /** Runs until the bucket lets the next go. */
  refill: NodeJS.Timeout | undefined;
}

/** More would only move the queue from the table into memory. */
export const QUEUE_JOBS_MAX = 1_000;
/** Of a slow webhook: what it can send before the next read of the table. */
export const SLOW_QUEUE_JOBS_MAX = 16;
const QUEUES_MAX = 20_000;
const EVICTION_TRIES_MAX = 100;

/** All queues of this replica. A quiet one is kept, so that its webhook need not be loaded each time. */
export class WebhookQueues {
  readonly #webhookQueues = new Map<string, WebhookQueue>();
  readonly #onDeleted: (webhookId: string) => void;

  constructor(onDeleted: (webhookId: string) => void) {
    this.#onDeleted = onDeleted;
  }

  get(webhookId: string): WebhookQueue | undefined {
    return this.#webhookQueues.get(webhookId);
  }

  /** Undefined when there are too many, all of them with something to remember. */
  open({ webhookId, shard }: Pick<Job, 'webhookId' | 'shard'>): WebhookQueue | undefined {
    const existing = this.#webhookQueues.get(webhookId);
    if (existing !== undefined) return existing;
    if (this.#webhookQueues.size >= QUEUES_MAX && !this.#evict()) return undefined;

    const queue: WebhookQueue = {
      webhookId,
      shard,
      epoch: undefined,
      target: undefined,
      stale: false,
      wantedVersion: 0,
      jobs: [],
      underWay: 0,
      detached: 0,
      pace: NEW_PACE,
      usedMs: 0,
      overflowedIn: 0,
      unwritten: 0,
      lastSent: undefined,
      headDueAtMs: 0,
      bucket: undefined,
      refill: undefined,
    };
    this.#webhookQueues.set(webhookId, queue);
    return queue;
  }

  delete(queue: WebhookQueue): void {
    clearTimeout(queue.refill);
    this.#webhookQueues.delete(queue.webhookId);
    this.#onDeleted(queue.webhookId);
  }

  [Symbol.iterator](): Iterator<WebhookQueue> {
    return this.#webhookQueues.values();
  }

  #evict(): boolean {
    let tries = 0;
    for (const queue of this.#webhookQueues.values()) {
      if (isQuiet(queue)) {
        this.delete(queue);
        return true;
      }
      this.#webhookQueues.delete(queue.webhookId);
      // To the end, or the next search would try the same ones.
      this.#webhookQueues.set(queue.webhookId, queue);
      if (++tries === EVICTION_TRIES_MAX) return false;
    }
    return false;
  }
}

/** Its rows will be read again in order, so the queue can be evicted. */
const isQuiet = (queue: WebhookQueue): boolean =>
  queue.jobs.length === 0 &&
  queue.underWay === 0 &&
  queue.unwritten === 0 &&
  (queue.overflowedIn === 0 ||
    queue.pace.kind === 'slow' ||
    queue.target?.ordered === true ||
    queue.target?.status === 'paused');

/** One with a rate limit has in memory what it may be sent in a second: the rest would only wait. */
export const jobsMaxOf = ({ pace, bucket }: WebhookQueue): number => {
  const max = pace.kind === 'slow' ? SLOW_QUEUE_JOBS_MAX : QUEUE_JOBS_MAX;
  return bucket === undefined ? max : Math.min(max, Math.ceil(bucket.perS));
};
