const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 10_000;
const DEATHS_MAX = 5;
const WINDOW_MS = 60_000;

/**
 * Returns how many milliseconds to wait before a child that died is started again; undefined to give up. `deaths`
 * are the times of its deaths in milliseconds, the latest last. The wait doubles with each death of the last
 * minute. After the fifth death within a minute, waiting does not help.
 */
export function restartDelayMs(deaths: readonly number[]): number | undefined {
  const latest = deaths.at(-1) ?? 0;
  const recent = deaths.filter((at) => latest - at < WINDOW_MS).length;
  if (recent >= DEATHS_MAX) return undefined;
  return Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.max(0, recent - 1));
}
