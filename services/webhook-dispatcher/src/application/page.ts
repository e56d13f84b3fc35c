/** Page of a list; the next page goes on where this one ends. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Id after which the next page starts; undefined: this was the last page. */
  readonly nextAfter?: string | undefined;
}

export interface PageRequest {
  /** Id with which the last page ended. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Returns the page of these rows, which hold one more than the limit when there is a next page. */
export function pageOf<T>(rows: readonly T[], limit: number, idOf: (item: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextAfter: rows.length > limit && last !== undefined ? idOf(last) : undefined };
}
