/** One page of a list that is read on from where the last one ended. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The id to read on after; undefined: this was the last page. */
  readonly nextAfter?: string | undefined;
}

export interface PageRequest {
  /** The id the last page ended with. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** `rows` holds one more than the limit when there is a next page. */
export function pageOf<T>(rows: readonly T[], limit: number, idOf: (item: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextAfter: rows.length > limit && last !== undefined ? idOf(last) : undefined };
}
