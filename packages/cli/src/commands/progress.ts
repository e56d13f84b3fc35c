import type { RebuildProjectionResponse } from '@junction/contracts';

const WIDTH = 24;
const MINUTE_S = 60;
/** A rebuild tells of each batch, hundreds for a million events: nobody reads so many lines. */
const LINE_EVERY_MS = 5_000;

/** Formats progress for a terminal: a bar, the number of events, and the time left. */
export function progressBar(name: string, progress: RebuildProjectionResponse): string {
  const full = Math.floor(shareOf(progress) * WIDTH);
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
  return `${name} ${bar} ${detail(progress)}`;
}

/** Formats progress for a file: the same without the bar. */
export const progressLine = (name: string, progress: RebuildProjectionResponse): string =>
  `${name} ${detail(progress)}`;

/**
 * Passes on what a line is worth: the first of each phase, and otherwise one every five seconds.
 * `clock` in milliseconds.
 */
export function paced<Progress extends { readonly phase: string }>(
  tell: (progress: Progress) => void,
  clock: () => number = () => performance.now(),
): (progress: Progress) => void {
  let phase = '';
  let toldMs = 0;
  return (progress) => {
    const nowMs = clock();
    if (progress.phase === phase && nowMs - toldMs < LINE_EVERY_MS) return;
    ({ phase } = progress);
    toldMs = nowMs;
    tell(progress);
  };
}

function detail(progress: RebuildProjectionResponse): string {
  const { phase, eventsDone, eventsTotal, eventsPerSecond, secondsLeft } = progress;
  const left = secondsLeft === undefined ? '' : `, ${duration(secondsLeft)} left`;
  const rate = phase === 'filling' ? `${eventsPerSecond}/s${left}` : phase;
  return `${Math.floor(shareOf(progress) * 100)} % ${eventsDone}/${eventsTotal} ${rate}`;
}

const shareOf = ({ eventsDone, eventsTotal }: RebuildProjectionResponse): number =>
  eventsTotal === 0 ? 1 : Math.min(1, eventsDone / eventsTotal);

const duration = (seconds: number): string =>
  seconds < MINUTE_S
    ? `${seconds} s`
    : `${Math.floor(seconds / MINUTE_S)} min ${seconds % MINUTE_S} s`;
