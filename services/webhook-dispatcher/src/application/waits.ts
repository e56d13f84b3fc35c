/** Waits that are over together when `atEnd` calls back, if they are not before. */
export function waitsOf(atEnd: (end: () => void) => void) {
  const waits: Wait[] = [];
  atEnd(() => {
    for (const { resolve } of waits) resolve();
  });
  return {
    /** Resolves when `begin` has called back as often as it says. */
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
