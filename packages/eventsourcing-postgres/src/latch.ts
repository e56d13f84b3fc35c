import { setTimeout as sleep } from 'node:timers/promises';

/** Lets one wait for a call that may come before, while or after it waits. */
export interface Latch {
  /** Ends the waiting; while nobody waits, the next one does not. */
  ring(): void;
  /** Until it rings, the time is over, or it is called off. Then forgets the ringing. */
  wait(ms: number, off: AbortSignal): Promise<void>;
}

export function latch(): Latch {
  let rung = false;
  let stop: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      stop?.();
    },
    async wait(ms, off) {
      if (!rung && !off.aborted) {
        const waiting = new AbortController();
        stop = () => waiting.abort();
        off.addEventListener('abort', stop, { once: true });
        await sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
        off.removeEventListener('abort', stop);
        stop = undefined;
      }
      rung = false;
    },
  };
}
