import type { RebuildProjectionResponse } from '@junction/contracts';

const WIDTH = 24;
const MINUTE_S = 60;

/** A bar, how many events, and how long it will take. */
export function progressText(name: string, progress: RebuildProjectionResponse): string {
  const { phase, eventsDone, eventsTotal, eventsPerSecond, secondsLeft } = progress;
  const share = eventsTotal === 0 ? 1 : Math.min(1, eventsDone / eventsTotal);
  const full = Math.floor(share * WIDTH);
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
  const left = secondsLeft === undefined ? '' : `, ${duration(secondsLeft)} left`;
  const rate = phase === 'filling' ? ` ${eventsPerSecond}/s${left}` : ` ${phase}`;
  return `${name} ${bar} ${Math.floor(share * 100)} % ${eventsDone}/${eventsTotal}${rate}`;
}

const duration = (seconds: number): string =>
  seconds < MINUTE_S
    ? `${seconds} s`
    : `${Math.floor(seconds / MINUTE_S)} min ${seconds % MINUTE_S} s`;
