/** Random numbers that their seed determines, on every machine. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** True that often: 0 never, 1 always. */
  chance(probability: number): boolean;
  /** Returns the same items in another order. */
  shuffled<T>(items: readonly T[]): T[];
}

/**
 * mulberry32: 32 bits of state, the next number in four lines. Good enough to draw a schedule, worthless
 * for a secret. Different parts give unrelated numbers, so that every use of one seed can have its own.
 */
export function randomOf(...parts: readonly (string | number)[]): Random {
  let state = hashOf(parts.join('/'));
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    chance: (probability) => next() < probability,
    shuffled(items) {
      const left = [...items];
      return items.flatMap(() => left.splice(between(0, left.length - 1), 1));
    },
  };
}

/** FNV-1a over UTF-16 units: a whole number below 2^32. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
