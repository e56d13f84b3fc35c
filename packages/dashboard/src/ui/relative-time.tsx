import { useSyncExternalStore } from 'react';
import { exactWords, relativeWords } from './relative-words.js';

const TICK_MS = 1_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Times move while one looks at them, by one timer for all of a page. */
function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(() => {
    for (const listener of listeners) listener();
  }, TICK_MS);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the end of the current second, so that no past moment lies after it. */
const currentSecond = () => Math.ceil(Date.now() / TICK_MS);

/** The time, followed by the second. */
export const useNow = (): Date =>
  new Date(useSyncExternalStore(subscribe, currentSecond) * TICK_MS);

/** `2 minutes ago`; when exactly is in its title. */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow();
  const time = new Date(at);
  return (
    <time dateTime={at} title={exactWords(time)}>
      {relativeWords(time, now)}
    </time>
  );
}
