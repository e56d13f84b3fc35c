/** Many values for one parameter: all bytes behind each other, and where each begins, counted from 1. */
export interface PackedBytes {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
  /** null: there is no value, which `substring` makes null of. */
  readonly lengths: readonly (number | null)[];
}

/**
 * Packs values for `substring(bytes from start for length)`. As elements of a `bytea[]` they would go as
 * hexadecimal text, twice as long and escaped, and be read back from that.
 */
export function packed(values: readonly (Buffer | null)[]): PackedBytes {
  const starts: number[] = [];
  let next = 1;
  for (const value of values) {
    starts.push(next);
    next += value?.length ?? 0;
  }
  return {
    bytes: Buffer.concat(values.filter((value) => value !== null)),
    starts,
    lengths: values.map((value) => value?.length ?? null),
  };
}
