import { AppError } from '@junction/errors';

export interface TurnstileOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  /** Of the refusal; `unavailable`: the caller has no part in it. */
  readonly kind: 'rate_limited' | 'unavailable';
  readonly message: string;
}

const RETRY_AFTER_S = 1;

/**
 * Lets so many through at once and so many wait; the next one is told to come back (AppError
 * `too_busy`). Without it a burst of what is costly would take everything from everything else.
 */
export function turnstile({ atOnceMax, waitingMax, kind, message }: TurnstileOptions) {
  const waiting: (() => void)[] = [];
  let inside = 0;

  const enter = async (): Promise<void> => {
    if (inside < atOnceMax) {
      inside++;
      return;
    }
    if (waiting.length >= waitingMax) {
      throw new AppError(kind, 'too_busy', message, { retryAfterS: RETRY_AFTER_S });
    }
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
