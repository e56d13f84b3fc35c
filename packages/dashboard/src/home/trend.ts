/** Difference of a number between a day and the day before. */
export interface Trend {
  readonly words: string;
  readonly isWorse: boolean;
}

interface Compared {
  readonly today: number | null;
  readonly before: number | null;
  /** Difference in words, without its direction: `12`, `0.4 points`, `16 ms`. */
  readonly inWords: (difference: number) => string;
  /** Words for a number that has risen and for one that has fallen, such as `slower` and `faster`. */
  readonly directions: readonly [risen: string, fallen: string];
  /** Whether a number that rises is bad. */
  readonly isRiseBad?: boolean;
}

/** Says what changed since the day before: `0.4 points lower than the day before`; undefined: one day has no number. */
export function trendOf(compared: Compared): Trend | undefined {
  const { today, before, inWords, directions, isRiseBad = false } = compared;
  if (today === null || before === null) return undefined;
  const difference = inWords(Math.abs(today - before));
  if (difference === inWords(0)) return { words: 'as on the day before', isWorse: false };
  const isRise = today > before;
  return {
    words: `${difference} ${directions[isRise ? 0 : 1]} than the day before`,
    isWorse: isRise === isRiseBad,
  };
}
