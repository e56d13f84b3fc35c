/** Something done again and again. Turns never overlap. */
export interface Routine {
  /** Has the next turn begin at once, or right after the one under way. */
  wake(): void;
  /** Waits for the turn under way. */
  stop(): Promise<void>;
}

/** Rests `restMs` between turns unless woken. A failed turn is followed by the next. */
export function routine(
  restMs: number,
  turn: () => Promise<void>,
  onError: (error: unknown) => void,
): Routine {
  let stopped = false;
  let woken = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<void> => {
    do {
      woken = false;
      await turn().catch(onError);
    } while (woken && !stopped);
  };

  const rest = () => {
    timer = setTimeout(() => begin(), restMs);
    timer.unref();
  };

  const begin = () => {
    clearTimeout(timer);
    running = run().then(() => {
      running = undefined;
      if (!stopped) rest();
    });
  };

  rest();
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
