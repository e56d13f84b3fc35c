import { AppError } from '@junction/errors';

export interface TurnstileOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
}

const RETRY_AFTER_S = 1;

/**
 * Lets so many through at once and so many wait; the next one is told to come back (AppError
 * `too_busy`). Without it a burst of logins would take all cores and all memory from everything else.
 */
export function turnstile({ atOnceMax, waitingMax }: TurnstileOptions) {
  const waiting: (() => void)[] = [];
  let inside = 0;

  const enter = async (): Promise<void> => {
    if (inside < atOnceMax) {
      inside++;
      return;
    }
    if (waiting.length >= waitingMax) throw tooBusy();
    // Whoever leaves hands over the place, so nobody slips in between.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };

  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else inside--;
  };

  return async <T>(work: () => Promise<T>): Promise<T> => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

const tooBusy = (): AppError =>
  new AppError(
    'rate_limited',
    'too_busy',
    'Too many people are signing in. Try again in a moment.',
    {
      retryAfterS: RETRY_AFTER_S,
    },
  );
