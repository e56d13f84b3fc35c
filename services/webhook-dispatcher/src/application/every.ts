/** Something done again and again until it is stopped; stopping waits for the turn under way. */
export interface Routine {
  stop(): Promise<void>;
}

/** Waits `intervalMs` after each turn, so that turns never overlap. A failed turn is followed by the next. */
export function every(
  intervalMs: number,
  turn: () => Promise<void>,
  onError: (error: unknown) => void,
): Routine {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();

  const schedule = (): void => {
    timer = setTimeout(() => {
      running = turn()
        .catch(onError)
        .then(() => {
          if (!stopped) schedule();
        });
    }, intervalMs);
    timer.unref();
  };
  schedule();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
