export interface RememberedByOptions<T> {
  /** Milliseconds for which an answer is used again. With 0 it is shared while it is under way, and then forgotten. */
  readonly freshMs: number;
  /** Most that answers may have in size together: those that came first are forgotten first. */
  readonly sizeMax: number;
  readonly sizeOf: (answer: T) => number;
}

interface Remembered<T> {
  readonly answer: T;
  readonly size: number;
  readonly askedMs: number;
}

/**
 * Returns a function that calls `ask` for a key only when no call for that key is under way and the last answer is
 * older than `freshMs`. A rejection is shared and not remembered.
 */
export function rememberedBy<T>({ freshMs, sizeMax, sizeOf }: RememberedByOptions<T>) {
  const underWay = new Map<string, Promise<T>>();
  const known = new Map<string, Remembered<T>>();
  let sizeNow = 0;

  const forget = (key: string): void => {
    sizeNow -= known.get(key)?.size ?? 0;
    known.delete(key);
  };
  const remember = (key: string, answer: T, askedMs: number): void => {
    forget(key);
    const size = sizeOf(answer);
    if (freshMs === 0 || size > sizeMax) return;
    known.set(key, { answer, size, askedMs });
    sizeNow += size;
    for (const [oldest, { askedMs: oldestMs }] of known) {
      if (sizeNow <= sizeMax && performance.now() - oldestMs < freshMs) break;
      forget(oldest);
    }
  };
  const askOnce = async (key: string, ask: () => Promise<T>): Promise<T> => {
    const askedMs = performance.now();
    const answer = await ask();
    remember(key, answer, askedMs);
    return answer;
  };

  return async (key: string, ask: () => Promise<T>): Promise<T> => {
    const found = known.get(key);
    if (found && performance.now() - found.askedMs < freshMs) return found.answer;
    const shared = underWay.get(key);
    if (shared !== undefined) return shared;
    const answer = askOnce(key, ask).finally(() => underWay.delete(key));
    underWay.set(key, answer);
    return answer;
  };
}
