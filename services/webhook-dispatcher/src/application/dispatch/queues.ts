import type { Job } from './job.js';
import { JOBS_MAX, type JobLedger } from './job-ledger.js';
import { jobsMaxOf, type Lane } from './lanes.js';
import { type Pace, type Place, placeOf } from './pace.js';
import { Turns } from './turns.js';
import type { UnderWay } from './under-way.js';

/** Webhooks that are not known to be quick fill no more than half of the room. */
const NOT_SWIFT_JOBS_MAX = JOBS_MAX / 2;
/** So much of it is kept for what is read from the table: who comes straight from Kafka is always there first. */
const KEPT_FOR_DUE = 32;
/** With less of it than this, what is due is read rarely, and what is due of quick webhooks by itself. */
export const LITTLE_ROOM = 500;

/** Straight from Kafka, or read from the table: among all that is due, or of an ordered webhook. */
export type Source = 'fresh' | 'due' | 'ordered';

/** In the order in which they get their turns. */
const PLACES: readonly Place[] = ['swift', 'proven', 'untried', 'ailing'];

/**
 * What is queued, lane by lane, and who of those that may send is next. Whatever enters or leaves a queue does so
 * here, or the counts by which there is room would no longer be true.
 */
export class Queues {
  readonly #ledger: JobLedger;
  /** Lanes that may send now, by whose places they wait for. */
  readonly #turns: Record<Place, Turns<Lane>> = {
    swift: new Turns(),
    proven: new Turns(),
    untried: new Turns(),
    ailing: new Turns(),
  };
  /** Jobs that are queued, by what their webhooks have shown of themselves. */
  readonly #queued: Record<Pace['kind'], number> = { new: 0, swift: 0, slow: 0 };

  constructor(ledger: JobLedger) {
    this.#ledger = ledger;
  }

  /** Jobs that are queued for webhooks of this kind. */
  count(kind: Pace['kind']): number {
    return this.#queued[kind];
  }

  /** How many more there is room for of webhooks that are not known to be quick. */
  get roomForOthers(): number {
    const { new: untried, slow } = this.#queued;
    // Many that were quick a moment ago may have more queued than that.
    return Math.max(0, NOT_SWIFT_JOBS_MAX - untried - slow);
  }

  hasRoomFor(lane: Lane, job: Job, source: Source): boolean {
    if (lane.queue.length >= jobsMaxOf(lane) || !this.#ledger.hasRoomFor(job)) return false;
    const kept = source === 'fresh' ? KEPT_FOR_DUE : 0;
    return lane.pace.kind === 'swift' || this.roomForOthers > kept;
  }

  push(lane: Lane, job: Job): void {
    this.#ledger.add(job);
    lane.queue.push(job);
    this.#queued[lane.pace.kind]++;
  }

  /** The oldest, which the ledger goes on to know. */
  shift(lane: Lane): Job | undefined {
    const job = lane.queue.shift();
    if (job !== undefined) this.#queued[lane.pace.kind]--;
    return job;
  }

  /** Forgets what is queued behind the first so many, and says whether that was anything: the table has it too. */
  cut(lane: Lane, length: number): boolean {
    const rest = lane.queue.splice(length);
    this.#queued[lane.pace.kind] -= rest.length;
    for (const job of rest) this.#ledger.forget(job);
    return rest.length > 0;
  }

  /** Forgets all that is queued, and says whether that was anything. It waits for no turn then. */
  empty(lane: Lane): boolean {
    this.rest(lane);
    return this.cut(lane, 0);
  }

  /** It waits for turns of its new place from when it is added again. */
  setPace(lane: Lane, pace: Pace): void {
    this.rest(lane);
    this.#queued[lane.pace.kind] -= lane.queue.length;
    lane.pace = pace;
    this.#queued[pace.kind] += lane.queue.length;
  }

  /** It waits for its turn. */
  add(lane: Lane): void {
    this.#turns[placeOf(lane.pace)].add(lane);
  }

  /** Out of the turns, until it is added again. */
  rest(lane: Lane): void {
    for (const place of PLACES) this.#turns[place].delete(lane);
  }

  /** Whose turn it is among those for whom there is a place, taken out of the turns. */
  next(places: Pick<UnderWay, 'mayBegin'>): Lane | undefined {
    for (const place of PLACES) {
      const lane = places.mayBegin(place) ? this.#turns[place].next() : undefined;
      if (lane !== undefined) return lane;
    }
    return undefined;
  }
}
