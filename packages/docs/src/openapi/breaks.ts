import type { JsonSchema } from './schemas.js';

type Node = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'post', 'patch', 'delete'];

/**
 * Returns a sentence for each thing that clients of the landed document would miss in the current one; no sentence
 * when the current one only adds. Operations, parameters, statuses, and members of answers must stay and keep their
 * types, and a request must not need anything new. Problems are not compared: they come and go with their causes.
 */
export function breaksOf(landed: JsonSchema, current: JsonSchema): readonly string[] {
  const [before, after] = [inlined(landed), inlined(current)];
  return Object.entries(at(before, 'paths')).flatMap(([path, was]) =>
    METHODS.filter((method) => method in at(was)).flatMap((method) => {
      const name = `${method.toUpperCase()} ${path}`;
      const is = at(after, 'paths', path, method);
      if (Object.keys(is).length === 0) return [`${name} is gone.`];
      return operationBreaks(at(was, method), is).map((text) => `${name}: ${text}`);
    }),
  );
}

function operationBreaks(was: Node, is: Node): readonly string[] {
  return [
    ...parameterBreaks(parametersOf(was), parametersOf(is)),
    ...contentBreaks(at(was, 'requestBody'), at(is, 'requestBody'), true),
    ...Object.entries(at(was, 'responses')).flatMap(([status, answer]) => {
      const next = at(is, 'responses')[status];
      if (status >= '400') return [];
      return next === undefined
        ? [`status ${status} is gone.`]
        : contentBreaks(at(answer), at(next), false);
    }),
  ];
}

type ByName = ReadonlyMap<string, Node>;

const parametersOf = (operation: Node): ByName =>
  new Map(
    ((operation['parameters'] ?? []) as readonly Node[]).map((one) => [
      `${String(one['in'])} ${String(one['name'])}`,
      one,
    ]),
  );

const parameterBreaks = (before: ByName, after: ByName): readonly string[] => [
  ...[...before.keys()].filter((name) => !after.has(name)).map((name) => `${name} is gone.`),
  ...[...after]
    .filter(([name, { required }]) => required === true && before.get(name)?.['required'] !== true)
    .map(([name]) => `${name} is demanded.`),
];

const contentBreaks = (was: Node, is: Node, isRequest: boolean): readonly string[] =>
  Object.entries(at(was, 'content')).flatMap(([type, media]) => {
    const next = at(is, 'content')[type];
    if (next === undefined) return [`${type} is gone.`];
    return schemaBreaks(at(media, 'schema'), at(next, 'schema'), { isRequest, place: 'body' });
  });

interface Place {
  readonly isRequest: boolean;
  readonly place: string;
}

function schemaBreaks(was: Node, is: Node, { isRequest, place }: Place): readonly string[] {
  if (JSON.stringify(was['type']) !== JSON.stringify(is['type'])) {
    return [`${place} has another type.`];
  }
  const [before, after] = [at(was, 'properties'), at(is, 'properties')];
  const [needed, given] = isRequest ? [is, was] : [was, is];
  const changed = namesIn(needed, 'required').filter(
    (name) => !namesIn(given, 'required').includes(name),
  );
  const refused = isRequest && 'enum' in is ? without(was['enum'], is['enum']) : [];
  return [
    ...changed.map(
      (name) => `${place}.${name} is ${isRequest ? 'demanded' : 'not sure any more'}.`,
    ),
    ...refused.map((value) => `${place} may not be ${value} any more.`),
    ...Object.keys(before).flatMap((name) => {
      const inner = { isRequest, place: `${place}.${name}` };
      if (!(name in after)) return [`${inner.place} is gone.`];
      return schemaBreaks(at(before, name), at(after, name), inner);
    }),
    ...alternativeBreaks(alternativesOf(was), alternativesOf(is), { isRequest, place }),
    ...('items' in was
      ? schemaBreaks(at(was, 'items'), at(is, 'items'), { isRequest, place: `${place}[]` })
      : []),
  ];
}

/** Alternatives stay in their places: a new one comes last. */
const alternativeBreaks = (
  before: readonly Node[],
  after: readonly Node[],
  place: Place,
): readonly string[] =>
  before.flatMap((was, index) => {
    const is = after[index];
    return is === undefined
      ? [`${place.place} has fewer alternatives.`]
      : schemaBreaks(was, is, place);
  });

const alternativesOf = ({ anyOf, oneOf }: Node) => (anyOf ?? oneOf ?? []) as readonly Node[];

const namesIn = (schema: Node, key: string) => (schema[key] ?? []) as readonly string[];

const without = (values: unknown, others: unknown): readonly string[] =>
  ((values ?? []) as readonly unknown[])
    .filter((value) => !((others ?? []) as readonly unknown[]).includes(value))
    .map(String);

/** Replaces each reference by the schema that it points to, except for a reference within its own target. */
function inlined(document: JsonSchema): Node {
  const inline = (node: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((one) => inline(one, within));
    if (typeof node !== 'object' || node === null) return node;
    const { $ref: reference } = node as Node;
    if (typeof reference === 'string') {
      if (within.includes(reference)) return node;
      return inline(at(document, ...reference.split('/').slice(1)), [...within, reference]);
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, inner]) => [key, inline(inner, within)]),
    );
  };
  return inline(document, []) as Node;
}

/** The member that these names lead to; an empty object where there is none. */
function at(node: unknown, ...names: readonly string[]): Node {
  let found = node;
  for (const name of names) found = isNode(found) ? found[name] : undefined;
  return isNode(found) ? found : {};
}

const isNode = (node: unknown): node is Node => typeof node === 'object' && node !== null;
