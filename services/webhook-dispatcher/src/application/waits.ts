/** Creates waits, all of which are over when `atEnd` calls back, if they are not before. */
export function waitsOf(atEnd: (end: () => void) => void) {
  const waits: Wait[] = [];
  atEnd(() => {
    for (const { resolve } of waits) resolve();
  });
  return {
    /** Resolves when the callback of `begin` was called as often as the result of `begin` says. */
    until(begin: (onDecided: () => void) => number): Promise<void> {
      const wait: Wait = { decided: 0, awaited: Number.POSITIVE_INFINITY, resolve() {} };
      wait.awaited = begin(() => void (++wait.decided === wait.awaited && wait.resolve()));
      if (wait.decided === wait.awaited) return NOW;
      waits.push(wait);
      return new Promise((resolve) => void (wait.resolve = resolve));
    },
  };
}

interface Wait {
  decided: number;
  awaited: number;
  resolve: () => void;
}

const NOW = Promise.resolve();
