import type { Job } from './job.js';

export const JOBS_MAX = 8_000;
const BODY_BYTES_MAX = 64 * 1_024 * 1_024;

/**
 * Which deliveries this replica has in hand: queued, under way, or done and not yet written. None of
 * them may be taken up a second time from a read of the table that began before they were finished.
 */
export class JobLedger {
  readonly #jobs = new Map<string, Job>();
  readonly #busy = new Map<number, number>();
  #bytes = 0;
  /** Finished while a read is on: the read's snapshot may be older than that. */
  #finished: Set<string> | undefined;

  knows({ deliveryId }: Job): boolean {
    return this.#jobs.has(deliveryId);
  }

  get size(): number {
    return this.#jobs.size;
  }

  room(): number {
    return Math.max(0, this.#bytes < BODY_BYTES_MAX ? JOBS_MAX - this.#jobs.size : 0);
  }

  hasRoomFor({ body }: Job): boolean {
    return this.#jobs.size < JOBS_MAX && this.#bytes + body.length <= BODY_BYTES_MAX;
  }

  add(job: Job): void {
    this.#jobs.set(job.deliveryId, job);
    this.#bytes += job.body.length;
  }

  /** Queued no more, without having been sent. */
  forget(job: Job): void {
    if (this.#jobs.delete(job.deliveryId)) this.#bytes -= job.body.length;
  }

  start({ shard }: Job): void {
    this.#busy.set(shard, (this.#busy.get(shard) ?? 0) + 1);
  }

  /** Sent and written. */
  finish(job: Job): void {
    this.forget(job);
    this.#finished?.add(job.deliveryId);
    const left = (this.#busy.get(job.shard) ?? 1) - 1;
    if (left > 0) this.#busy.set(job.shard, left);
    else this.#busy.delete(job.shard);
  }

  busy(shard: number): boolean {
    return this.#busy.has(shard);
  }

  /** What the read must leave out. */
  beginRead(): readonly string[] {
    this.#finished = new Set();
    return [...this.#jobs.keys()];
  }

  /** What of the read is still to be done. */
  endRead(jobs: readonly Job[]): readonly Job[] {
    const finished = this.#finished;
    this.#finished = undefined;
    return jobs.filter((job) => !this.knows(job) && finished?.has(job.deliveryId) !== true);
  }
}
