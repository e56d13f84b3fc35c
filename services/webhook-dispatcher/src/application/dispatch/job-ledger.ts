import type { Job } from './job.js';

export const JOBS_MAX = 8_000;
const BODY_BYTES_MAX = 64 * 1_024 * 1_024;

/**
 * Which deliveries this replica has in hand: queued, under way, or done and not yet written. None of
 * them may be taken up a second time from a read of the table that began before they were finished.
 */
export class JobLedger {
  /** Ids alone: what a Set has let go of stays until the next full collection of garbage (decision 8). */
  readonly #ids = new Set<string>();
  /** By shard: how many were sent and are not written. */
  readonly #busy: number[] = [];
  #bytes = 0;
  /** Finished while a read is on: the read's snapshot may be older than that. */
  #finished: Set<string> | undefined;

  knows({ deliveryId }: Job): boolean {
    return this.#ids.has(deliveryId);
  }

  get size(): number {
    return this.#ids.size;
  }

  room(): number {
    return Math.max(0, this.#bytes < BODY_BYTES_MAX ? JOBS_MAX - this.#ids.size : 0);
  }

  hasRoomFor({ body }: Job): boolean {
    return this.#ids.size < JOBS_MAX && this.#bytes + body.length <= BODY_BYTES_MAX;
  }

  add(job: Job): void {
    this.#ids.add(job.deliveryId);
    this.#bytes += job.body.length;
  }

  /** Queued no more, without having been sent. */
  forget(job: Job): void {
    if (this.#ids.delete(job.deliveryId)) this.#bytes -= job.body.length;
  }

  start({ shard }: Job): void {
    this.#busy[shard] = (this.#busy[shard] ?? 0) + 1;
  }

  /** Sent and written. */
  finish(job: Job): void {
    this.forget(job);
    this.#finished?.add(job.deliveryId);
    this.#busy[job.shard] = Math.max(0, (this.#busy[job.shard] ?? 0) - 1);
  }

  busy(shard: number): boolean {
    return (this.#busy[shard] ?? 0) > 0;
  }

  /** What the read must leave out. */
  beginRead(): readonly string[] {
    this.#finished = new Set();
    return [...this.#ids];
  }

  /** What of the read is still to be done. */
  endRead(jobs: readonly Job[]): readonly Job[] {
    const finished = this.#finished;
    this.#finished = undefined;
    return jobs.filter((job) => !this.knows(job) && finished?.has(job.deliveryId) !== true);
  }
}
