import type { Job } from './job.js';
import { JOBS_MAX, type JobLedger } from './job-ledger.js';
import { type Pace, type Place, placeOf } from './pace.js';
import { Turns } from './turns.js';
import type { UnderWay } from './under-way.js';
import { jobsMaxOf, type WebhookQueue } from './webhook-queues.js';

/** Webhooks that are not responsive fill half of the room at most. */
const UNRESPONSIVE_JOBS_MAX = JOBS_MAX / 2;
/** Of that half, room that is kept for jobs read from the table: fresh events would otherwise always win. */
const KEPT_FOR_DUE = 32;
/** With less room than this, due jobs are read rarely, and those of responsive webhooks apart from the rest. */
export const LOW_WATERMARK = 500;

/** Straight from Kafka, or read from the table: among all that is due, or of an ordered webhook. */
export type Source = 'fresh' | 'due' | 'ordered';

/** In the order in which they get their turns. */
const PLACES: readonly Place[] = ['responsive', 'known', 'new', 'failing'];

/**
 * Jobs that are queued, by webhook, and which webhook sends next. Jobs enter and leave queues here alone, so that the
 * counts by which there is room stay true.
 */
export class Queues {
  readonly #ledger: JobLedger;
  /** Queues that may send, by the places that they wait for. */
  readonly #turns: Record<Place, Turns<WebhookQueue>> = {
    responsive: new Turns(),
    known: new Turns(),
    new: new Turns(),
    failing: new Turns(),
  };
  /** Jobs that are queued, by what their webhooks have shown of themselves. */
  readonly #queued: Record<Pace['kind'], number> = { new: 0, responsive: 0, slow: 0 };

  constructor(ledger: JobLedger) {
    this.#ledger = ledger;
  }

  /** Jobs that are queued for webhooks of this kind. */
  count(kind: Pace['kind']): number {
    return this.#queued[kind];
  }

  /** How many more jobs there is room for of webhooks that are not responsive. */
  get roomForOthers(): number {
    const { new: untested, slow } = this.#queued;
    // Webhooks that were responsive a moment ago may have more queued than the maximum.
    return Math.max(0, UNRESPONSIVE_JOBS_MAX - untested - slow);
  }

  hasRoomFor(queue: WebhookQueue, job: Job, source: Source): boolean {
    if (queue.jobs.length >= jobsMaxOf(queue) || !this.#ledger.hasRoomFor(job)) return false;
    const kept = source === 'fresh' ? KEPT_FOR_DUE : 0;
    return queue.pace.kind === 'responsive' || this.roomForOthers > kept;
  }

  push(queue: WebhookQueue, job: Job): void {
    this.#ledger.add(job);
    queue.jobs.push(job);
    this.#queued[queue.pace.kind]++;
  }

  /** The oldest, which the ledger goes on to know. */
  shift(queue: WebhookQueue): Job | undefined {
    const job = queue.jobs.shift();
    if (job !== undefined) this.#queued[queue.pace.kind]--;
    return job;
  }

  /** Forgets what is queued behind the first so many, and says whether that was anything: the table has it too. */
  cut(queue: WebhookQueue, length: number): boolean {
    const rest = queue.jobs.splice(length);
    this.#queued[queue.pace.kind] -= rest.length;
    for (const job of rest) this.#ledger.forget(job);
    return rest.length > 0;
  }

  /** Forgets all that is queued, and says whether that was anything. It waits for no turn then. */
  empty(queue: WebhookQueue): boolean {
    this.rest(queue);
    return this.cut(queue, 0);
  }

  /** It waits for turns of its new place from when it is added again. */
  setPace(queue: WebhookQueue, pace: Pace): void {
    this.rest(queue);
    this.#queued[queue.pace.kind] -= queue.jobs.length;
    queue.pace = pace;
    this.#queued[pace.kind] += queue.jobs.length;
  }

  /** It waits for its turn. */
  add(queue: WebhookQueue): void {
    this.#turns[placeOf(queue.pace)].add(queue);
  }

  /** Out of the turns, until it is added again. */
  rest(queue: WebhookQueue): void {
    for (const place of PLACES) this.#turns[place].delete(queue);
  }

  /** The queue whose turn it is among those with a free place, taken out of the turns. */
  next(places: Pick<UnderWay, 'mayBegin'>): WebhookQueue | undefined {
    for (const place of PLACES) {
      const queue = places.mayBegin(place) ? this.#turns[place].next() : undefined;
      if (queue !== undefined) return queue;
    }
    return undefined;
  }
}
