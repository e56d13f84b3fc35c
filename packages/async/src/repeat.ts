/** Work that is done again and again in the background. Its runs never overlap. */
export interface BackgroundJob {
  /** Starts the next run at once, or right after the run under way. */
  wake(): void;
  /** Starts no further run, and waits for the run under way. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `everyMs` milliseconds, for the first time after the first interval: call `wake` to
 * begin at once. The interval counts from the end of a run; a run that returns a number asks for the
 * next one after so many milliseconds, if that is sooner. A failed run does not end the job.
 */
export function repeat(
  everyMs: number,
  work: () => Promise<void> | Promise<number | undefined>,
  onError: (error: unknown) => void,
): BackgroundJob {
  let stopped = false;
  let woken = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<number> => {
    let nextInMs: number | void;
    do {
      woken = false;
      nextInMs = await runOnce();
    } while (woken && !stopped);
    return Math.min(everyMs, nextInMs ?? everyMs);
  };

  const runOnce = async (): Promise<number | void> => {
    try {
      return await work();
    } catch (error) {
      onError(error);
    }
  };

  const schedule = (inMs: number) => {
    timer = setTimeout(() => begin(), inMs);
    timer.unref();
  };

  const begin = () => {
    clearTimeout(timer);
    running = run().then((nextInMs) => {
      running = undefined;
      if (!stopped) schedule(nextInMs);
    });
  };

  schedule(everyMs);
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
