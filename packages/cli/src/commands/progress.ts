import { z } from 'zod';

/** Progress of a rebuild. */
export const rebuildProgress = z.object({
  phase: z.string(),
  version: z.number(),
  events_done: z.number(),
  events_total: z.number(),
  events_per_second: z.number(),
  /** null: nobody knows yet. */
  seconds_left: z.number().nullable(),
});
export type RebuildProgress = z.infer<typeof rebuildProgress>;

const WIDTH = 24;
const MINUTE_S = 60;
/** A rebuild tells of each batch, hundreds for a million events: nobody reads so many lines. */
const LINE_EVERY_MS = 5_000;

/** Formats progress for a terminal: a bar, the number of events, and the time left. */
export function progressBar(name: string, progress: RebuildProgress): string {
  const full = Math.floor(shareOf(progress) * WIDTH);
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
  return `${name} ${bar} ${detail(progress)}`;
}

/** Formats progress for a file: the same without the bar. */
export const progressLine = (name: string, progress: RebuildProgress): string =>
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

function detail(progress: RebuildProgress): string {
  const { phase, seconds_left: seconds } = progress;
  const left = seconds === null ? '' : `, ${duration(seconds)} left`;
  const rate = phase === 'filling' ? `${progress.events_per_second}/s${left}` : phase;
  const share = Math.floor(shareOf(progress) * 100);
  return `${share} % ${progress.events_done}/${progress.events_total} ${rate}`;
}

const shareOf = ({ events_done: done, events_total: total }: RebuildProgress): number =>
  total === 0 ? 1 : Math.min(1, done / total);

const duration = (seconds: number): string =>
  seconds < MINUTE_S
    ? `${seconds} s`
    : `${Math.floor(seconds / MINUTE_S)} min ${seconds % MINUTE_S} s`;
