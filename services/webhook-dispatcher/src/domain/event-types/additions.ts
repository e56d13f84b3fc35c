/** A kind of event as far as receivers and producers rely on it. */
export interface KindDefinition {
  readonly optIn: boolean;
  /** JSON Schema of `data`. */
  readonly schema: object;
}

/** Keywords for readers, which say nothing about data (JSON Schema, validation, section 9). */
const ANNOTATIONS: readonly string[] = [
  '$comment',
  '$schema',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
];
/** Keywords whose values are lists without an order. */
const SETS: readonly string[] = ['enum', 'required', 'type'];
/** Keywords whose value is a schema of all that stands there, which may grow as well. */
const INNER: readonly string[] = ['items', 'additionalProperties'];

/**
 * Returns what a new definition takes away from those who rely on the former, or asks of them. Properties that may be
 * absent can be added, in objects at any depth; everything else stays.
 */
export const breaksOf = (before: KindDefinition, after: KindDefinition): readonly string[] => [
  ...(after.optIn && !before.optIn
    ? ['opt_in was false: webhooks for * would no longer get the kind']
    : []),
  ...breaksOfSchema(before.schema, after.schema, 'schema'),
];

export const isSame = (one: KindDefinition, other: KindDefinition): boolean =>
  textOf(one) === textOf(other);

type Schema = Readonly<Record<string, unknown>>;

function breaksOfSchema(before: unknown, after: unknown, place: string): readonly string[] {
  if (!isObject(before) || !isObject(after)) return changeOf(before, after, place);
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords].flatMap((keyword) => {
    const [was, is, inner] = [before[keyword], after[keyword], `${place}.${keyword}`];
    if (ANNOTATIONS.includes(keyword)) return [];
    if (keyword === 'properties') return breaksOfProperties(was ?? {}, is ?? {}, inner);
    if (INNER.includes(keyword)) return breaksOfSchema(was, is, inner);
    return SETS.includes(keyword)
      ? changeOf(sorted(was), sorted(is), inner)
      : changeOf(was, is, inner);
  });
}

const breaksOfProperties = (before: object, after: object, place: string): readonly string[] =>
  Object.entries(before).flatMap(([name, schema]: [string, unknown]) =>
    Object.hasOwn(after, name)
      ? breaksOfSchema(schema, (after as Schema)[name], `${place}.${name}`)
      : [`${place}.${name} is gone`],
  );

const changeOf = (before: unknown, after: unknown, place: string): readonly string[] =>
  textOf(before) === textOf(after)
    ? []
    : [`${place} was ${textOf(before)} and is ${textOf(after)}`];

const sorted = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(textOf).sort() : value;

/** JSON in which the order of members makes no difference. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(byName)) : inner,
  ) ?? 'absent';

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : 1;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
