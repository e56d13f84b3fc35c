import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.js';
import { nameOf, type Schema } from './schema-words.js';

/** Depth at which an example ends: filters hold filters. */
const DEPTH_MAX = 6;
const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2030-01-02T03:04:05.678Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '7f0c9a4e-52b1-4f0f-9d3e-0b8a6f1c2d3e',
};
const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: '…',
  integer: 1,
  number: 1,
  boolean: true,
  null: null,
};

const FILE = path.join(ROOT, 'packages/docs/answers.json');

/** Answers by their operations, as a run of the product gave them: `api-document.e2e` writes and compares them. */
export const RECORDED = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, unknown>>;

/** Makes a value that fits a schema of the document, from the examples that it names where it names some. */
export function exampleOf(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  depth = 0,
): unknown {
  const inner = (each: Schema) => exampleOf(each, schemas, depth + 1);
  const { $ref: reference, anyOf, allOf, items, properties, type } = schema;
  const [kind = 'object'] = [type].flat();
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (reference !== undefined) return inner(schemas[nameOf(reference)] ?? {});
  const [first] = anyOf ?? schema.oneOf ?? allOf ?? [];
  if (first !== undefined) return inner(first);
  if (kind === 'array') return items === undefined || depth > DEPTH_MAX ? [] : [inner(items)];
  if (kind !== 'object') return BY_FORMAT[schema.format ?? ''] ?? EXAMPLES[kind];
  const { required = [] } = schema;
  const shown = Object.entries(properties ?? {}).filter(([name]) => required.includes(name));
  return Object.fromEntries(shown.map(([name, each]) => [name, inner(each)]));
}

/** Where a request goes and what it carries. */
export interface Sent {
  readonly origin: string;
  /** Name of the variable that holds the token; undefined: the call needs none. */
  readonly token: string | undefined;
  readonly body: { readonly type: string; readonly example: unknown } | undefined;
}

/** Returns a request by curl, with names in capitals for what a caller puts in. */
export function curlOf(call: string, { origin, token, body }: Sent): string {
  const [method = '', path = ''] = call.split(' ');
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  const isGiven = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl -s${isGiven ? '' : ` -X ${method}`} ${origin}${place}`,
    ...(token === undefined ? [] : [`-H "authorization: Bearer $${token}"`]),
    ...(body === undefined ? [] : [`-H 'content-type: ${body.type}'`, dataOf(body)]),
  ].join(' \\\n     ');
}

const variableOf = (name: string): string =>
  name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

const dataOf = ({ type, example }: NonNullable<Sent['body']>): string =>
  type.endsWith('json') ? `-d '${JSON.stringify(example)}'` : '--data-binary @body';
