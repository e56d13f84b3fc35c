import { pause } from './pause.js';

/** A flag that one party sets and another waits for, in either order. */
export interface Signal {
  /** Ends the wait under way; without one, the next wait ends at once. */
  set(): void;
  /**
   * Resolves when the signal is set, `ms` milliseconds are over, or `aborted` is aborted. Resets the signal. Only one
   * caller may wait at a time.
   */
  wait(ms: number, aborted?: AbortSignal): Promise<void>;
}

/** A signal that is not set. */
export function signal(): Signal {
  let isSet = false;
  let waiting: AbortController | undefined;
  return {
    set() {
      isSet = true;
      waiting?.abort();
    },
    async wait(ms, aborted) {
      if (!isSet) {
        const ended = new AbortController();
        const end = () => ended.abort();
        waiting = ended;
        if (aborted?.aborted) end();
        aborted?.addEventListener('abort', end);
        await pause(ms, ended.signal);
        aborted?.removeEventListener('abort', end);
        waiting = undefined;
      }
      isSet = false;
    },
  };
}
