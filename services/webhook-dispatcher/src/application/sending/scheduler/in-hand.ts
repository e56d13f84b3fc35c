import type { Job } from '../../job.js';
import { BODY_BYTES_MAX, JOBS_MAX } from './limits.js';
import type { Queued } from './queue.js';

/**
 * Deliveries that this replica has in hand: queued, under way, or done and not yet written. No read of the table that
 * began before a delivery was finished may take up that delivery a second time.
 */
export interface InHand {
  /**
   * Ids of deliveries. A Set keeps what was removed from it until the next full garbage collection, so it holds ids and
   * no objects (decision 8).
   */
  readonly ids: Set<string>;
  /** Ids of deliveries that were sent ahead and are neither decided nor stored. */
  readonly ahead: Set<string>;
  /** Ids of deliveries that were sent ahead and given up while under way: nobody needs their results. */
  readonly givenUp: Set<string>;
  /** Number of deliveries that were sent and are not written, by shard. */
  readonly busy: number[];
  bytes: number;
  /**
   * Ids of deliveries that were finished during the current read, whose snapshot may be older; undefined: no read is
   * on.
   */
  finished: Set<string> | undefined;
}

export const newInHand = (): InHand => ({
  ids: new Set(),
  ahead: new Set(),
  givenUp: new Set(),
  busy: [],
  bytes: 0,
  finished: undefined,
});

export const knows = ({ ids }: InHand, { deliveryId }: Job): boolean => ids.has(deliveryId);

/** Returns how many more jobs may be taken in. */
export const roomOf = ({ bytes, ids }: InHand): number =>
  Math.max(0, bytes < BODY_BYTES_MAX ? JOBS_MAX - ids.size : 0);

export const hasRoomFor = ({ bytes, ids }: InHand, { body }: Job): boolean =>
  ids.size < JOBS_MAX && bytes + body.length <= BODY_BYTES_MAX;

/**
 * Takes a queued job in hand. A job that is sent ahead keeps its shard busy from here on, since it has no row that
 * another replica could send.
 */
export function add(hand: InHand, { job, decided }: Queued): void {
  hand.ids.add(job.deliveryId);
  hand.bytes += job.body.length;
  if (decided === undefined) return;
  hand.ahead.add(job.deliveryId);
  holdShard(hand, job.shard);
}

/** Drops a queued job that was not sent. Returns whether the caller that sent it ahead still waits for its result. */
export function removeUnsent(hand: InHand, { job, decided }: Queued): boolean {
  remove(hand, job);
  if (decided === undefined) return false;
  freeShard(hand, job.shard);
  return hand.ahead.delete(job.deliveryId);
}

/** Notes that a job is sent. */
export function start(hand: InHand, { job, decided }: Queued): void {
  if (decided === undefined) holdShard(hand, job.shard);
}

/** Drops a job whose result is written, or whose result nobody needs. */
export function finish(hand: InHand, job: Job): void {
  if (!knows(hand, job)) return;
  remove(hand, job);
  hand.finished?.add(job.deliveryId);
  freeShard(hand, job.shard);
}

/** Returns whether a delivery of the shard was sent and is not written. */
export const isBusy = ({ busy }: InHand, shard: number): boolean => (busy[shard] ?? 0) > 0;

/** Starts to collect what is finished during a read. */
export function startRead(hand: InHand): void {
  hand.finished = new Set();
}

/** Ends a read. Returns the jobs of it that are still to be done. */
export function endRead(hand: InHand, jobs: readonly Job[]): readonly Job[] {
  const { finished } = hand;
  hand.finished = undefined;
  return jobs.filter((job) => !knows(hand, job) && finished?.has(job.deliveryId) !== true);
}

function remove(hand: InHand, { deliveryId, body }: Job): void {
  if (hand.ids.delete(deliveryId)) hand.bytes -= body.length;
}

function holdShard({ busy }: InHand, shard: number): void {
  busy[shard] = (busy[shard] ?? 0) + 1;
}

function freeShard({ busy }: InHand, shard: number): void {
  busy[shard] = Math.max(0, (busy[shard] ?? 0) - 1);
}
