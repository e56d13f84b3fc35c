/** Milliseconds after which a person wonders whether anything happens. */
const SLOW_MS = 4_000;

const listeners = new Set<() => void>();
let slow = 0;

/** Counts an answer that is waited for, once it takes longer than usual. Returns the end of the wait. */
export function beginWait(): () => void {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    count(1);
  }, SLOW_MS);
  return () => {
    clearTimeout(timer);
    if (isSlow) count(-1);
  };
}

/** Store of whether an answer takes longer than usual (useSyncExternalStore). */
export const slowWaits = {
  current: (): boolean => slow > 0,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function count(change: 1 | -1): void {
  slow += change;
  for (const tell of listeners) tell();
}
