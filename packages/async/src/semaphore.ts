export interface SemaphoreOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  /** What a caller beyond `waitingMax` is rejected with. */
  readonly refusal: () => Error;
}

/**
 * Runs at most `atOnceMax` works at a time; `waitingMax` more wait their turn, and the next one is
 * rejected. Without it a burst of what is costly would take everything from everything else.
 */
export function semaphore({ atOnceMax, waitingMax, refusal }: SemaphoreOptions) {
  const waiting: (() => void)[] = [];
  let running = 0;

  const acquire = async (): Promise<void> => {
    if (running < atOnceMax) {
      running++;
      return;
    }
    if (waiting.length >= waitingMax) throw refusal();
    // A work that ends hands its place over, so that nobody slips in between.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };

  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };

  return async <T>(work: () => Promise<T>): Promise<T> => {
    await acquire();
    try {
      return await work();
    } finally {
      release();
    }
  };
}
