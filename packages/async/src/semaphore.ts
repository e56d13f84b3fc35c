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
 * Without this bound a burst of costly work would starve all other work. A call whose signal aborts while it waits is
 * never run: it rejects with the signal's reason.
 */
export function semaphore(options: SemaphoreOptions) {
  const { atOnceMax, waitingMax, refusal } = options;
  const waiting = new Set<() => void>();
  let running = 0;

  const acquire = async (signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    if (running < atOnceMax) {
      running++;
      return;
    }
    if (waiting.size >= waitingMax) throw refusal();
    // Work that ends hands its slot to the next waiting caller, so that no new call slips in between.
    await turnIn(waiting, options, signal);
  };

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    next();
  };

  return async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    await acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  };
}

/** Waits in line until `release` lets the call in. The line is in the order of the calls. */
const turnIn = (
  line: Set<() => void>,
  { waitMaxMs, refusal }: SemaphoreOptions,
  signal?: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(overdue);
      signal?.removeEventListener('abort', callOff);
      line.delete(letIn);
    };
    const letIn = () => {
      leave();
      resolve();
    };
    const giveUp = (reason: Error) => {
      leave();
      reject(reason);
    };
    const callOff = () => giveUp(signal?.reason as Error);
    const overdue =
      waitMaxMs === undefined ? undefined : setTimeout(() => giveUp(refusal()), waitMaxMs);
    signal?.addEventListener('abort', callOff);
    line.add(letIn);
  });
