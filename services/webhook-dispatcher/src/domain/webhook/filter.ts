import { InexactNumber } from '@junction/contracts';

/**
 * Condition on the data of events, which decides whether a webhook gets them. A condition looks at one position, a path
 * of names with dots between them (a number is a position in a list, `\.` a dot within a name and `\\` a backslash),
 * and passes when all that it says is true.
 */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | Condition;

export type Scalar = string | number | boolean | null;

export interface Condition {
  readonly path: string;
  readonly equals?: Scalar;
  readonly in?: readonly Scalar[];
  readonly exists?: boolean;
  /**
   * Bound of the value: numbers are compared with numbers, texts with texts (so ISO times work); otherwise the
   * condition does not pass.
   */
  readonly gt?: Bound;
  readonly gte?: Bound;
  readonly lt?: Bound;
  readonly lte?: Bound;
  readonly prefix?: string;
  /** Scalar that the value, which must be a list, has to contain. */
  readonly contains?: Scalar;
}

export type Bound = string | number;

/**
 * Returns whether the data pass the filter. Data without the path pass `exists: false` and nothing else. Numbers in the
 * data that no double holds are expected as `InexactNumber`: such a number equals no number of a filter, and lies above
 * or below each of them.
 */
export function passes(filter: Filter, data: unknown): boolean {
  if ('all' in filter) return filter.all.every((one) => passes(one, data));
  if ('any' in filter) return filter.any.some((one) => passes(one, data));
  if ('not' in filter) return !passes(filter.not, data);
  return holds(filter, valueAt(data, filter.path));
}

function holds(condition: Condition, value: unknown): boolean {
  const { equals, in: among, exists, gt, gte, lt, lte, prefix, contains } = condition;
  return (
    (exists === undefined || exists === (value !== undefined)) &&
    (equals === undefined || value === equals) &&
    (among === undefined || among.some((one) => value === one)) &&
    (gt === undefined || compare(value, gt, (order) => order > 0)) &&
    (gte === undefined || compare(value, gte, (order) => order >= 0)) &&
    (lt === undefined || compare(value, lt, (order) => order < 0)) &&
    (lte === undefined || compare(value, lte, (order) => order <= 0)) &&
    (prefix === undefined || (typeof value === 'string' && value.startsWith(prefix))) &&
    (contains === undefined || (Array.isArray(value) && value.includes(contains)))
  );
}

function compare(value: unknown, bound: Bound, agrees: (order: number) => boolean): boolean {
  if (typeof bound === 'number') {
    if (value instanceof InexactNumber) return agrees(value.compareTo(bound));
    return typeof value === 'number' && agrees(value - bound);
  }
  return typeof value === 'string' && agrees(value === bound ? 0 : value < bound ? -1 : 1);
}

/**
 * Returns the value at the path, of own members only: inherited ones and the length of a list are not among the data.
 */
function valueAt(data: unknown, path: string): unknown {
  let value = data;
  for (const name of namesIn(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    if (Array.isArray(value) && name === 'length') return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const NAMES = /(?:\\[.\\]|[^.])+/g;

/** Returns the names of a valid path: `a\.b.c` has `a.b` and `c`. */
export function namesIn(path: string): readonly string[] {
  if (!path.includes('\\')) return path.split('.');
  const names = path.match(NAMES) ?? [];
  return names.map((name) => name.replaceAll(/\\([.\\])/g, '$1'));
}
