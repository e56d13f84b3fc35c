/** Progress of a rebuild. */
export interface RebuildProgress {
  readonly name: string;
  /** Version that is being filled. */
  readonly version: number;
  readonly phase: 'filling' | 'switching' | 'done';
  readonly eventsDone: number;
  /** Number of events when the rebuild started or was resumed; more may have come since. */
  readonly eventsTotal: number;
  /** Rate since the rebuild started or was resumed; 0 while there is too little to measure. */
  readonly eventsPerSecond: number;
  /** Estimate from that rate; undefined while there is none. */
  readonly secondsLeft: number | undefined;
}

export type ProgressMeter = (phase: RebuildProgress['phase'], done: number) => RebuildProgress;

/** Milliseconds below which a rate is noise. */
const RATE_AFTER_MS = 200;

/** Measures a rebuild. `doneBefore` counts events of earlier runs, which say nothing about the rate of this one. */
export function progressMeter(
  rebuild: Pick<RebuildProgress, 'name' | 'version'>,
  doneBefore: number,
  total: number,
): ProgressMeter {
  const startedMs = performance.now();
  return (phase, done) => {
    const ms = performance.now() - startedMs;
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
    };
  };
}
