import type { Job } from '../job.js';
import { BODY_BYTES_MAX, JOBS_MAX } from './limits.js';
import type { InHand, Queued } from './state.js';

export const knows = ({ ids }: InHand, { deliveryId }: Job): boolean => ids.has(deliveryId);

/** How many more jobs may be taken in. */
export const roomOf = ({ bytes, ids }: InHand): number =>
  Math.max(0, bytes < BODY_BYTES_MAX ? JOBS_MAX - ids.size : 0);

export const hasRoomFor = ({ bytes, ids }: InHand, { body }: Job): boolean =>
  ids.size < JOBS_MAX && bytes + body.length <= BODY_BYTES_MAX;

/** It is queued. One that is sent ahead keeps its shard busy from here on: it has no row that another could send. */
export function add(hand: InHand, { job, decided }: Queued): void {
  hand.ids.add(job.deliveryId);
  hand.bytes += job.body.length;
  if (decided === undefined) return;
  hand.ahead.add(job.deliveryId);
  keepBusy(hand, job.shard);
}

/** It is queued no more, and was not sent. Says whether whoever sent it ahead still waits for what becomes of it. */
export function letGo(hand: InHand, { job, decided }: Queued): boolean {
  drop(hand, job);
  if (decided === undefined) return false;
  release(hand, job.shard);
  return hand.ahead.delete(job.deliveryId);
}

/** It is sent. */
export function start(hand: InHand, { job, decided }: Queued): void {
  if (decided === undefined) keepBusy(hand, job.shard);
}

/** It is written, or nobody wants to know how it ended. */
export function finish(hand: InHand, job: Job): void {
  if (!knows(hand, job)) return;
  drop(hand, job);
  hand.finished?.add(job.deliveryId);
  release(hand, job.shard);
}

/** Something of the shard was sent and is not written. */
export const isBusy = ({ busy }: InHand, shard: number): boolean => (busy[shard] ?? 0) > 0;

/** A read begins. */
export function beginRead(hand: InHand): void {
  hand.finished = new Set();
}

/** The read is over: what of it is still to be done. */
export function endRead(hand: InHand, jobs: readonly Job[]): readonly Job[] {
  const { finished } = hand;
  hand.finished = undefined;
  return jobs.filter((job) => !knows(hand, job) && finished?.has(job.deliveryId) !== true);
}

function drop(hand: InHand, { deliveryId, body }: Job): void {
  if (hand.ids.delete(deliveryId)) hand.bytes -= body.length;
}

function keepBusy({ busy }: InHand, shard: number): void {
  busy[shard] = (busy[shard] ?? 0) + 1;
}

function release({ busy }: InHand, shard: number): void {
  busy[shard] = Math.max(0, (busy[shard] ?? 0) - 1);
}
