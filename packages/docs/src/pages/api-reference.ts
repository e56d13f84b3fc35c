import {
  API_AREAS,
  type Area,
  answerOf,
  COMMON_CODES,
  type Content,
  codesOf,
  DOCUMENT,
  type Operation,
  type Parameter,
} from './api-calls.js';
import { curlOf, exampleOf, RECORDED } from './api-examples.js';
import { anchorOf } from './markdown.js';
import { explanationOf } from './problem-codes.js';
import { nameOf, type Schema, table, wordsOf } from './schema-words.js';

/** Path of the page on which the API can be tried out. */
export const TRY_PATH = '/docs/api/try';

const linkOf = (code: string): string => `[\`${code}\`](${explanationOf(code)})`;

const COMMON_WORDS = `Any call may be answered with ${COMMON_CODES.map(linkOf).join(', ')}: [how the API
works](/docs/http-api#errors). \`TOKEN\` is an access token or an API key, \`SERVICE_TOKEN\` a service token.`;

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
    COMMON_WORDS,
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
    ...examplesOf(call, operation),
    answersOf(operation),
    `${servers ? '' : `[Try it](${TRY_PATH}#/${tags[0]}/${operationId}) · `}[Rules of the API](/docs/http-api)`,
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

/** Returns a request by curl, and what it may answer. */
function examplesOf(call: string, operation: Operation) {
  const { operationId, requestBody, responses, security, servers } = operation;
  const { schemas } = DOCUMENT.components;
  const sample = ({ schema, example }: Content) => example ?? exampleOf(schema, schemas);
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  const token = security.some((each) => 'bearer' in each) ? 'TOKEN' : 'SERVICE_TOKEN';
  const curl = curlOf(call, {
    origin: servers ? '$SERVICE/internal' : 'http://localhost:8080',
    token: security.length === 0 ? undefined : token,
    body: type && content ? { type, example: sample(content) } : undefined,
  });
  const answer = Object.entries(responses).find(([status]) => status < '300')?.[1];
  const json = answer && 'content' in answer ? answer.content?.['application/json'] : undefined;
  return [
    `\`\`\`sh\n${curl}\n\`\`\``,
    json
      ? `\`\`\`json\n${JSON.stringify(RECORDED[operationId] ?? sample(json), null, 2)}\n\`\`\``
      : '',
  ];
}

/** Renders the answers of an operation: successes with their contents, refusals with the codes that explain them. */
function answersOf({ responses }: Operation): string {
  const rows = Object.entries(responses).flatMap(([status, answer]) => {
    const { description, content = {} } = answerOf(answer);
    const schemas = Object.values(content).map(({ schema }) => schema);
    const codes = schemas
      .flatMap(codesOf)
      .filter((code) => !COMMON_CODES.includes(code))
      .map(linkOf);
    if (status >= '400' && codes.length === 0) return [];
    const words = codes.length > 0 ? codes.join(', ') : schemas.map(wordsOf).join(', ');
    return [[status, description, words]];
  });
  return table(['answer', '', ''], rows);
}

function objectWords(schema: Schema): readonly string[] {
  const { description, properties, required = [] } = schema;
  if (properties === undefined) return [description ?? '', wordsOf(schema)].filter(Boolean);
  const rows = Object.entries(properties).map(([name, each]) => {
    const need = required.includes(name) ? '' : 'May be absent.';
    return [name, wordsOf(each), [each.description, need].filter(Boolean).join(' ')];
  });
  return [description ?? '', table(['field', 'type', ''], rows)].filter(Boolean);
}
