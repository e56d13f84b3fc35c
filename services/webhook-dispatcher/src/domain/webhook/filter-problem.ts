/** Problem of a filter: `path` leads from the filter to the field. */
export interface FilterProblem {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

/** Depth of groups within groups; a condition at the end counts as one more. */
export const FILTER_DEPTH_MAX = 6;
export const FILTER_CONDITIONS_MAX = 50;
export const FILTER_LIST_MAX = 100;
export const FILTER_TEXT_MAX = 256;
export const PATH_NAMES_MAX = 10;

/** Pattern of a name within a path: a backslash makes the dot or backslash behind it part of the name. */
const NAME = String.raw`(?:[^.\\]|\\[.\\]|\\(?![.\\]))+`;
/** Pattern of a path. */
export const PATH_PATTERN = String.raw`^${NAME}(?:\.${NAME}){0,${PATH_NAMES_MAX - 1}}$`;
const PATH = new RegExp(PATH_PATTERN);

const GROUPS = ['all', 'any', 'not'] as const;

/** Returns undefined for a filter that can be stored and evaluated: a `Filter`, within its bounds. */
export function filterProblem(filter: unknown): FilterProblem | undefined {
  const left = { conditions: FILTER_CONDITIONS_MAX };
  return problemOf(filter, [], 1, left);
}

type Place = FilterProblem['path'];

function problemOf(
  filter: unknown,
  path: Place,
  depth: number,
  left: { conditions: number },
): FilterProblem | undefined {
  if (!isObject(filter)) return wrong(path, 'invalid_type', 'must be an object.');
  const names = Object.keys(filter);
  const group = GROUPS.find((name) => Object.hasOwn(filter, name));
  if (group === undefined) return conditionProblem(filter, path, left);

  const other = names.find((name) => name !== group);
  if (other !== undefined) {
    return wrong([...path, other], 'unknown_field', `does not go with ${group}.`);
  }
  if (depth === FILTER_DEPTH_MAX) {
    return wrong(path, 'filter_too_deep', `may be at most ${FILTER_DEPTH_MAX} levels deep.`);
  }
  const inner = filter[group];
  const place = [...path, group];
  if (group === 'not') return problemOf(inner, place, depth + 1, left);
  if (!isList(inner)) return wrong(place, 'invalid_type', listWanted);
  for (const [index, one] of inner.entries()) {
    const problem = problemOf(one, [...place, index], depth + 1, left);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function conditionProblem(
  condition: Readonly<Record<string, unknown>>,
  path: Place,
  left: { conditions: number },
): FilterProblem | undefined {
  if (--left.conditions < 0) {
    const message = `may have at most ${FILTER_CONDITIONS_MAX} conditions.`;
    return wrong(path, 'filter_too_large', message);
  }
  if (!isPath(condition['path'])) return wrong([...path, 'path'], 'filter_path_invalid', pathRule);

  const operators = Object.keys(condition).filter((name) => name !== 'path');
  if (operators.length === 0) return wrong(path, 'filter_operator_missing', operatorsRule);
  for (const name of operators) {
    const rule = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (rule === undefined) return wrong([...path, name], 'unknown_field', operatorsRule);
    if (!rule.fits(condition[name])) return wrong([...path, name], 'invalid_type', rule.message);
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= FILTER_TEXT_MAX;
// 1e309 parses as Infinity, which JSON cannot express: it would be stored as null.
const isBound = (value: unknown): boolean => Number.isFinite(value) || isText(value);
const isScalar = (value: unknown): boolean =>
  value === null || typeof value === 'boolean' || isBound(value);
const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length >= 1 && value.length <= FILTER_LIST_MAX;

const isPath = (value: unknown): boolean => isText(value) && PATH.test(value);

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly message: string;
}

const listWanted = `must be a list of 1 to ${FILTER_LIST_MAX}.`;
const pathRule = `must be 1 to ${PATH_NAMES_MAX} names with dots between them (a dot within a name as \\.), at most ${FILTER_TEXT_MAX} characters.`;
const bound: Rule = { fits: isBound, message: 'must be a number or a text.' };

const OPERATORS: Readonly<Record<string, Rule>> = {
  equals: { fits: isScalar, message: 'must be a text, a number, true, false or null.' },
  in: {
    fits: (value) => isList(value) && value.every(isScalar),
    message: `${listWanted.slice(0, -1)} texts, numbers, true, false or null.`,
  },
  exists: { fits: (value) => typeof value === 'boolean', message: 'must be true or false.' },
  gt: bound,
  gte: bound,
  lt: bound,
  lte: bound,
  contains: {
    fits: isScalar,
    message: 'must be a text, a number, true, false or null, which a list has in it.',
  },
  prefix: { fits: isText, message: `must be a text of at most ${FILTER_TEXT_MAX} characters.` },
};

const operatorsRule = `a condition has a path and at least one of ${Object.keys(OPERATORS).join(', ')}; a group has one of ${GROUPS.join(', ')}.`;

const wrong = (path: Place, code: string, message: string): FilterProblem => ({
  path,
  code,
  message,
});
