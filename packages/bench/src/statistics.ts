/** The value below which this share (0 to 1) of them lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle one; of an even number of values the upper of the two. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
