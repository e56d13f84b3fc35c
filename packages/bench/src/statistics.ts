/** The value below which this share (0 to 1) of them lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle one; of an even number of values the upper of the two. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns how much y grows when x grows by one, by least squares over [x, y]. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const shared = points.map(([x, y]) => (x - meanX) * (y - meanY));
  const spread = points.map(([x]) => (x - meanX) ** 2);
  return mean(shared) / mean(spread);
}
