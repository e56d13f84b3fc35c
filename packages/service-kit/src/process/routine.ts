/** Something done again and again. Turns never overlap. */
export interface Routine {
  /** Has the next turn begin at once, or right after the one under way. */
  wake(): void;
  /** Waits for the turn under way. */
  stop(): Promise<void>;
}

/**
 * Rests `restMs` between turns unless woken; less when a turn gives the milliseconds until the next is
 * worth it. A failed turn is followed by the next.
 */
export function routine(
  restMs: number,
  turn: () => Promise<void> | Promise<number>,
  onError: (error: unknown) => void,
): Routine {
  let stopped = false;
  let woken = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<number> => {
    let nextInMs: number | void;
    do {
      woken = false;
      nextInMs = await oneTurn();
    } while (woken && !stopped);
    return Math.min(restMs, nextInMs ?? restMs);
  };

  const oneTurn = async (): Promise<number | void> => {
    try {
      return await turn();
    } catch (error) {
      onError(error);
    }
  };

  const rest = (forMs: number) => {
    timer = setTimeout(() => begin(), forMs);
    timer.unref();
  };

  const begin = () => {
    clearTimeout(timer);
    running = run().then((forMs) => {
      running = undefined;
      if (!stopped) rest(forMs);
    });
  };

  rest(restMs);
  return {
    wake() {
      woken = true;
      if (!running && !stopped) begin();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
