/** Average duration that a transaction may have, because it holds a connection and locks. */
export const BATCH_TIME_MAX_MS = 250;

/** Returns how many records the next transaction takes, after one of `took` records lasted `lastedMs`. */
export function nextBatchSize(
  size: number,
  took: number,
  lastedMs: number,
  sizeMax: number,
): number {
  if (lastedMs > BATCH_TIME_MAX_MS) return Math.max(1, Math.floor(Math.min(size, took) / 2));
  // Only a full batch that was quick says that a larger one would be quick as well.
  return took === size && lastedMs < BATCH_TIME_MAX_MS / 2 ? Math.min(sizeMax, size * 2) : size;
}
