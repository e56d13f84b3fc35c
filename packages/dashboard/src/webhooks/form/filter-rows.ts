import type { Schemas } from '../../api/types.js';
import { lostNumber } from './lost-number.js';

export type Filter = Schemas['Filter'];
type Scalar = string | number | boolean | null;

/** Comparisons of a condition, with their labels in the form. */
export const OPERATORS = [
  { value: 'equals', label: 'is' },
  { value: 'in', label: 'is one of' },
  { value: 'gt', label: 'is more than' },
  { value: 'gte', label: 'is at least' },
  { value: 'lt', label: 'is less than' },
  { value: 'lte', label: 'is at most' },
  { value: 'prefix', label: 'begins with' },
  { value: 'contains', label: 'is a list with' },
  { value: 'present', label: 'is there' },
  { value: 'absent', label: 'is not there' },
] as const;
export type Operator = (typeof OPERATORS)[number]['value'];

/** `present` and `absent` need no value. */
export const needsValue = (operator: Operator): boolean =>
  operator !== 'present' && operator !== 'absent';

export interface FilterRow {
  readonly path: string;
  readonly operator: Operator;
  /**
   * Value as it is typed. A number, true, false and null stand for themselves, and a value in quotation marks is a
   * text. A number that a browser would send as a different one is a text too.
   */
  readonly value: string;
}

export interface FilterRows {
  readonly match: 'all' | 'any';
  readonly rows: readonly FilterRow[];
}

/** A filter as rows; undefined: it says more than rows can, and is edited as JSON. */
export function rowsOf(filter: unknown): FilterRows | undefined {
  if (!isObject(filter)) return undefined;
  const match = 'any' in filter ? 'any' : 'all';
  const group = match in filter ? filter[match] : [filter];
  if (!Array.isArray(group) || (match in filter && Object.keys(filter).length > 1))
    return undefined;
  const rows = group.map(rowOf);
  return rows.every((row) => row !== undefined) ? { match, rows } : undefined;
}

function rowOf(condition: unknown): FilterRow | undefined {
  if (!isObject(condition)) return undefined;
  const { path, ...operators } = condition;
  const [name, ...more] = Object.keys(operators);
  if (typeof path !== 'string' || name === undefined || more.length > 0) return undefined;
  const given = operators[name];
  if (name === 'exists') return { path, operator: given ? 'present' : 'absent', value: '' };
  const operator = OPERATORS.find(({ value }) => value === name)?.value;
  if (operator === undefined || !needsValue(operator)) return undefined;
  const value = operator === 'in' ? listText(given) : scalarText(given);
  return value === undefined ? undefined : { path, operator, value };
}

/** The filter that rows say; a single one needs no group. */
export function filterOf({ match, rows }: FilterRows): Filter | undefined {
  const conditions = rows.map(conditionOf);
  const [first, ...others] = conditions;
  if (others.length === 0) return first;
  return match === 'all' ? { all: conditions } : { any: conditions };
}

function conditionOf({ path, operator, value }: FilterRow): Filter {
  if (!needsValue(operator)) return { path, exists: operator === 'present' };
  if (operator !== 'in') return { path, [operator]: scalarIn(value.trim()) };
  return { path, in: value.split(',').map((one) => scalarIn(one.trim())) };
}

function scalarIn(text: string): Scalar {
  try {
    const value: unknown = JSON.parse(text);
    return isScalar(value) && lostNumber(text) === undefined ? value : text;
  } catch {
    return text;
  }
}

/** Returns the text that is read as the same value again; undefined when there is none. */
function scalarText(value: unknown): string | undefined {
  if (!isScalar(value)) return undefined;
  const isPlain = typeof value === 'string' && scalarIn(value.trim()) === value;
  return isPlain ? value : JSON.stringify(value);
}

function listText(values: unknown): string | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts = values.map(scalarText);
  return texts.every((text) => text !== undefined && !text.includes(','))
    ? texts.join(', ')
    : undefined;
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
