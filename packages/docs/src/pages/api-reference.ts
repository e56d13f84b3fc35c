import { readFileSync } from 'node:fs';
import path from 'node:path';
import { anchorOf } from './markdown.js';
import { explanationOf } from './problem-codes.js';
import { ROOT } from './root.js';
import { nameOf, type Schema, table, wordsOf } from './schema-words.js';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Present: no gateway leads to the operation. */
  readonly servers?: readonly object[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-api-key-scope'?: string | null;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

interface Reference {
  readonly $ref: string;
}

interface Document {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** Path of the page on which the API can be tried out. */
export const TRY_PATH = '/docs/api/try';

const FILE = path.join(ROOT, 'packages/docs/openapi.json');
const DOCUMENT = JSON.parse(readFileSync(FILE, 'utf8')) as Document;

const CALLS = Object.entries(DOCUMENT.paths).flatMap(([place, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    call: `${method.toUpperCase()} ${place}`,
    operation,
  })),
);

const ANY_SERVICE = '{service}';

/** An area of the API. Each has a page. */
interface Area {
  /** Last segment of the page's path. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly calls: typeof CALLS;
}

/** The areas of the API: its tags, and for operators one more for what a service alone has. */
export const API_AREAS: readonly Area[] = DOCUMENT.tags.flatMap(({ name, description }) => {
  const label = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const calls = CALLS.filter(({ operation }) => operation.tags[0] === name);
  if (name !== 'operations') return [{ name, label, description, calls }];
  const serviceOf = ({ call }: (typeof CALLS)[number]) => call.split('/')[3] ?? '';
  return [...new Set(calls.map(serviceOf))].map((service) => ({
    name: service === ANY_SERVICE ? name : `${name}-${service}`,
    label: `${label} of ${service === ANY_SERVICE ? 'every service' : service}`,
    description,
    calls: calls.filter((each) => serviceOf(each) === service),
  }));
});

/** The page that lists every call, made from openapi.json. */
export function apiOverview(): string {
  const areas = API_AREAS.map(({ name, label, description, calls }) => {
    const rows = calls.map(({ call, operation: { summary } }) => [
      `\`${call}\``,
      `[${summary}](/docs/api/${name}#${anchorOf(summary)})`,
    ]);
    return `## ${label}\n\n${description}\n\n${table(['call', ''], rows)}`;
  });
  return [
    '# API reference',
    DOCUMENT.info.description,
    `Every call can be [tried out](${TRY_PATH}). For programs: [openapi.json](/openapi.json) describes all of this,
[asyncapi.json](/asyncapi.json) the topics and what webhooks receive.`,
    ...areas,
  ].join('\n\n');
}

/** The page of one area: what each call takes and answers. */
export const apiArea = ({ label, description, calls }: Area): string =>
  [
    `# API: ${label.toLowerCase()}`,
    description,
    ...calls.map(({ call, operation }) => operationWords(call, operation)),
  ].join('\n\n');

/** The page of what calls answer with. */
export function apiObjects(): string {
  const objects = Object.entries(DOCUMENT.components.schemas);
  return [
    '# API: objects',
    'What calls answer with, by the names that they use.',
    ...objects.flatMap(([name, schema]) => [`## \`${name}\``, ...objectWords(schema)]),
  ].join('\n\n');
}

function operationWords(call: string, operation: Operation): string {
  const { operationId, summary, description, servers, tags } = operation;
  return [
    `## ${summary}`,
    `\`\`\`http\n${call}\n\`\`\``,
    description ?? '',
    callerOf(operation),
    inputOf(operation),
    exampleOf(operation),
    answersOf(operation),
    servers ? '' : `[Try it](${TRY_PATH}#/${tags[0]}/${operationId})`,
  ]
    .filter((words) => words !== '')
    .join('\n\n');
}

function callerOf({ security, servers, 'x-api-key-scope': scope }: Operation): string {
  if (security.length === 0) return 'Needs no caller.';
  const [ofService] = security.flatMap(({ service = [] }) => service);
  const service = `a token of a service with the scope \`${ofService}\``;
  const internal = 'on the port of the service itself, with `/internal` before the path';
  if (servers) return `Needs ${service}, ${internal}.`;
  if (scope === undefined) return `Needs ${service}.`;
  const user = scope
    ? `an access token of a user, or an API key with the scope \`${scope}\``
    : 'an access token of a user';
  return ofService === undefined ? `Needs ${user}.` : `Needs ${user}; or ${service}, ${internal}.`;
}

function inputOf({ parameters = [], requestBody }: Operation): string {
  const { components } = DOCUMENT;
  const named = parameters.map((parameter) =>
    '$ref' in parameter ? (components.parameters[nameOf(parameter.$ref)] as Parameter) : parameter,
  );
  const rows = [
    ...named.map((each) => row(each.name, each.in, each.schema, each.required, each.description)),
    ...Object.values(requestBody?.content ?? {})
      .slice(0, 1)
      .flatMap(({ schema }) => bodyRows(schema)),
  ];
  return rows.length === 0 ? '' : table(['field', 'in', 'type', ''], rows);
}

function bodyRows(schema: Schema): readonly (readonly string[])[] {
  const { properties, required = [] } = schema;
  if (properties === undefined) return [row('', 'body', schema, true)];
  return Object.entries(properties).map(([name, each]) =>
    row(name, 'body', each, required.includes(name)),
  );
}

function row(
  name: string,
  place: string,
  schema: Schema,
  isRequired = false,
  words = schema.description,
) {
  const need = isRequired ? 'Required.' : '';
  return [name, place, wordsOf(schema), [need, words].filter(Boolean).join(' ')];
}

function exampleOf({ requestBody }: Operation): string {
  const [content] = Object.values(requestBody?.content ?? {});
  if (content?.example === undefined) return '';
  return `\`\`\`json\n${JSON.stringify(content.example, null, 2)}\n\`\`\``;
}

/** Renders the answers of an operation: successes with their contents, refusals with the codes that explain them. */
function answersOf({ responses }: Operation): string {
  const { components } = DOCUMENT;
  const rows = Object.entries(responses).map(([status, answer]) => {
    const { description, content = {} } =
      '$ref' in answer ? (components.responses[nameOf(answer.$ref)] as Answer) : answer;
    const schemas = Object.values(content).map(({ schema }) => schema);
    const codes = schemas.flatMap(codesOf).map((code) => `[\`${code}\`](${explanationOf(code)})`);
    const words = codes.length > 0 ? codes.join(', ') : schemas.map(wordsOf).join(', ');
    return [status, description, words];
  });
  return table(['answer', '', ''], rows);
}

const codesOf = ({ allOf = [] }: Schema): readonly string[] =>
  allOf.flatMap(({ properties }) => properties?.['code']?.enum ?? []).map(String);

function objectWords(schema: Schema): readonly string[] {
  const { description, properties, required = [] } = schema;
  if (properties === undefined) return [description ?? '', wordsOf(schema)].filter(Boolean);
  const rows = Object.entries(properties).map(([name, each]) => {
    const need = required.includes(name) ? '' : 'May be absent.';
    return [name, wordsOf(each), [each.description, need].filter(Boolean).join(' ')];
  });
  return [description ?? '', table(['field', 'type', ''], rows)].filter(Boolean);
}
