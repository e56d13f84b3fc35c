import type { RebuildChanges } from './switch-over.js';

/** How far a rebuild is. */
export interface RebuildProgress {
  readonly name: string;
  /** The one that is being filled. */
  readonly version: number;
  readonly phase: 'filling' | 'switching' | 'done';
  readonly eventsDone: number;
  /** Counted when the rebuild was begun or gone on with; more may have come since. */
  readonly eventsTotal: number;
  /** Since it was begun or gone on with; 0 until there is something to tell. */
  readonly eventsPerSecond: number;
  /** An estimate from that rate; undefined until there is one. */
  readonly secondsLeft: number | undefined;
  /** Told once it is done, unless the answer was lost: what had been different in the table. */
  readonly changes: RebuildChanges | undefined;
}

export interface ProgressMeter {
  filling(done: number): RebuildProgress;
  switching(done: number): RebuildProgress;
  done(done: number, changes: RebuildChanges | undefined): RebuildProgress;
}

/** Below this a rate is noise. */
const RATE_AFTER_MS = 200;

/** `doneBefore`: events of earlier runs, which say nothing about the rate of this one. */
export function progressMeter(
  rebuild: Pick<RebuildProgress, 'name' | 'version'>,
  doneBefore: number,
  total: number,
  clock: () => number = () => performance.now(),
): ProgressMeter {
  const startedMs = clock();
  const progress = (
    phase: RebuildProgress['phase'],
    done: number,
    changes?: RebuildChanges,
  ): RebuildProgress => {
    const ms = clock() - startedMs;
    const perSecond = ms < RATE_AFTER_MS ? 0 : ((done - doneBefore) * 1_000) / ms;
    const eventsTotal = Math.max(total, done);
    const left = perSecond > 0 ? (eventsTotal - done) / perSecond : undefined;
    return {
      ...rebuild,
      phase,
      eventsDone: done,
      eventsTotal,
      eventsPerSecond: Math.round(perSecond),
      secondsLeft: phase === 'filling' ? left && Math.ceil(left) : 0,
      changes,
    };
  };
  return {
    filling: (done) => progress('filling', done),
    switching: (done) => progress('switching', done),
    done: (done, changes) => progress('done', done, changes),
  };
}
