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
}

export type ProgressMeter = (phase: RebuildProgress['phase'], done: number) => RebuildProgress;

/** Below this a rate is noise. */
const RATE_AFTER_MS = 200;

/** `doneBefore`: events of earlier runs, which say nothing about the rate of this one. */
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
