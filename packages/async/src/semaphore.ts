export interface SemaphoreOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  /** Milliseconds after which one who waits is rejected. Absent: no limit. */
  readonly waitMaxMs?: number;
  /** The rejection of a caller beyond `waitingMax`, or of one that has waited too long. */
  readonly refusal: () => Error;
}

/**
 * Runs at most `atOnceMax` works at a time; `waitingMax` more wait their turn, and the next one is
 * rejected. Without it a burst of what is costly would take everything from everything else.
 */
export function semaphore({ atOnceMax, waitingMax, waitMaxMs, refusal }: SemaphoreOptions) {
  const waiting = new Set<() => void>();
  let running = 0;

  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = () => {
        clearTimeout(overdue);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(next);
        reject(refusal());
      };
      const overdue = waitMaxMs === undefined ? undefined : setTimeout(giveUp, waitMaxMs);
      waiting.add(next);
    });

  const acquire = async (): Promise<void> => {
    if (running < atOnceMax) {
      running++;
      return;
    }
    if (waiting.size >= waitingMax) throw refusal();
    // A work that ends hands its place over, so that nobody slips in between.
    await wait();
  };

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    waiting.delete(next);
    next();
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
