export interface SemaphoreOptions {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  /** Milliseconds after which a waiting caller is rejected. Absent: no limit. */
  readonly waitMaxMs?: number;
  /** Error for a caller beyond `waitingMax`, or for a caller that has waited too long. */
  readonly refusal: () => Error;
}

/**
 * Runs at most `atOnceMax` calls at a time; `waitingMax` more wait for their turn, and further calls are rejected.
 * Without this bound a burst of costly work would starve all other work.
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
    // Work that ends hands its slot to the next waiting caller, so that no new call slips in between.
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
