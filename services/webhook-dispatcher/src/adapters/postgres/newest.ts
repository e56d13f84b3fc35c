/**
 * Condition and order by which a statement reads an index from its newest entry down to its oldest, to be followed by
 * `limit`. The index has these columns; all but the last are equal to `at`, which must come from another table of the
 * statement, and the last lies between `first` (inclusive) and `end` (exclusive).
 *
 * They are compared as one row. Of such a comparison Postgres knows nothing and takes a ninth of the table to match, so
 * that it always walks the index as far as the limit goes. Of an equality it takes as many rows to match as a webhook
 * has on average, few as a rule, and then it may read and sort all of a webhook that has a million.
 */
export function newestFirst(
  columns: readonly string[],
  at: readonly string[],
  { first, end }: { readonly first: string; readonly end: string },
): string {
  const row = `(${columns.join()})`;
  const order = columns.map((column) => `${column} desc`);
  return `${row} >= (${[...at, first].join()}) and ${row} < (${[...at, end].join()}) order by ${order.join()}`;
}

/** Bounds of a UUID: no delivery has the highest one. */
export const ANY_ID = {
  first: `'00000000-0000-0000-0000-000000000000'::uuid`,
  end: `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`,
};
