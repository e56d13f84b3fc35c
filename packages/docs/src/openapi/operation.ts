import { isDeepStrictEqual } from 'node:util';
import { SERVICES } from '@junction/contracts';
import { type ProblemCode, problems } from '@junction/errors';
import { scopeFor } from '@junction/service/callers';
import { EXPORT_TYPES, type Route, TRANSPORTS } from '@junction/service/http';
import { type Described, problemsOf, recencyOf } from './described.js';
import { type Components, type JsonSchema, jsonSchemaOf } from './schemas.js';

/** Builds an operation object (OpenAPI 3.1, section 4.8.10). */
export function operationOf(described: Described, components: Components): JsonSchema {
  const { route, gates, tag } = described;
  const { id, summary, body } = route;
  const path = templateOf(route.path);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...aboutOf(route),
    ...(described.isInternal && { servers: [OWN_PORT] }),
    ...securityOf(described),
    ...((gates.has('user') || gates.has('perhaps_user')) && scopeOf(described)),
    ...recencyOf(described),
    parameters: [
      ...namesIn(path).map((name) =>
        name === 'service' ? reference('Service') : parameter('path', name, { type: 'string' }),
      ),
      ...queryParameters(route, components),
      ...headerParameters(described),
    ],
    ...(body && {
      requestBody: {
        required: isRequired(body),
        content: contentOf(jsonSchemaOf(body, components), bodyTypes(route), route.example),
      },
    }),
    responses: {
      ...successes(route, components),
      ...failures(described, path, components),
      // Answered before anything else is read, by the gateway in words.
      431: sharedResponse('Request line and headers too large', headersTooLarge(), components),
    },
  };
}

/** Returns the description of a route, with what a request counts for in its caller's limit. */
function aboutOf({ about, cost, costWith = {} }: Route): { readonly description?: string } {
  const more = Object.entries(costWith).map(([name, times]) => `, as ${times} with \`${name}\``);
  const costs = cost && `A request counts as ${cost}${more.join('')} in its caller's limit.`;
  const description = [about, costs].filter(Boolean).join(' ');
  return description === '' ? {} : { description };
}

/** Base of the routes that no gateway leads to. */
const OWN_PORT = {
  url: '{service}/internal',
  description: 'The port of the service itself, which no gateway leads to.',
  variables: {
    service: {
      default: 'http://localhost:7001',
      description:
        'The service of the path, in development auth on port 7001, integrations on 7002 and webhook-dispatcher on 7003.',
    },
  },
};

/** `/api/webhooks/:id` is `/api/webhooks/{id}` in a document. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const namesIn = (template: string): readonly string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

const parameter = (place: string, name: string, schema: JsonSchema, required = true) => {
  const { description, deprecated, ...rest } = schema;
  return {
    in: place,
    name,
    required,
    ...(deprecated !== undefined && { deprecated }),
    ...(description !== undefined && { description }),
    schema: rest,
  };
};

/** Parameters of paths that many operations have. */
export const PATH_PARAMETERS = {
  Service: parameter('path', 'service', { type: 'string', enum: SERVICES }),
};

/** Security requirements of operations that say nothing of them. */
export const OF_USER = [{ bearer: [] }, { cookie: [] }];

/**
 * Returns the security requirements. A bearer token has no scopes of OAuth 2.0 here, but roles that a request needs
 * may be named (OpenAPI 3.1, section 4.8.30).
 */
function securityOf(described: Described) {
  const { gates, isInternal, serviceScope } = described;
  const ofService = { service: [serviceScope] };
  if (gates.has('service') || isInternal) return { security: [ofService] };
  if (gates.has('tool')) return { security: [...OF_USER, ofService] };
  if (gates.has('perhaps_user')) return { security: [{}, ...OF_USER] };
  return gates.has('user') ? {} : { security: [] };
}

function scopeOf({ route, gates }: Described) {
  const scope = gates.has('operator')
    ? undefined
    : scopeFor(route.method.toUpperCase(), route.path);
  return { 'x-api-key-scope': scope ?? null };
}

function queryParameters({ query }: Route, components: Components): readonly object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(query, components) as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) =>
    parameter('query', name, schema, required.includes(name)),
  );
}

const headerParameters = ({ route, gates }: Described): readonly object[] => [
  ...(route.method === 'post' && gates.has('idempotent') ? [reference('IdempotencyKey')] : []),
  ...(route.takesIfMatch ? [reference('IfMatch')] : []),
];

export const reference = (name: string) => ({ $ref: `#/components/parameters/${name}` });

const isRequired = (schema: { safeParse(input: unknown): { success: boolean } }): boolean =>
  !schema.safeParse({}).success;

const JSON_TYPES = ['application/json'];

function bodyTypes({ method, bodyType }: Route): readonly string[] {
  if (bodyType !== undefined) return [bodyType];
  return method === 'patch' ? [...JSON_TYPES, 'application/merge-patch+json'] : JSON_TYPES;
}

const contentOf = (schema: JsonSchema, types: readonly string[], example?: object) =>
  Object.fromEntries(types.map((type) => [type, { schema, ...(example && { example }) }]));

function successes(route: Route, components: Components): JsonSchema {
  const { answer, answerType, hasVersion } = route;
  const files = route.exports ? contentOf({ type: 'string' }, Object.values(EXPORT_TYPES)) : {};
  const content =
    answer !== undefined
      ? {
          content: {
            ...contentOf(jsonSchemaOf(answer, components, 'output'), JSON_TYPES),
            ...files,
          },
        }
      : answerType !== undefined
        ? { content: contentOf({ type: 'string' }, [answerType]) }
        : {};
  const headers = hasVersion && { headers: { ETag: { $ref: '#/components/headers/ETag' } } };
  const answers = [route.status ?? 200]
    .flat()
    .map((status) => [status, { description: wordsOf(status), ...headers, ...content }] as const);
  const unchanged = hasVersion && route.method === 'get' && { 304: { description: wordsOf(304) } };
  const streamed = route.streams && {
    200: { description: wordsOf(200), content: contentOf({ type: 'string' }, [EVENTS]) },
  };
  return { ...Object.fromEntries(answers), ...unchanged, ...streamed };
}

const EVENTS = 'text/event-stream';

const WORDS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'It was made; Location has its address.',
  202: 'It was taken, and is done soon.',
  204: 'Done.',
  302: 'Goes on at Location.',
  303: 'Goes on at Location.',
  304: 'It has not changed since If-None-Match.',
};

const wordsOf = (status: number): string => WORDS[status] ?? String(status);

/** The problems of an operation by status, and what a standard wants in their place. */
function failures(described: Described, path: string, components: Components): JsonSchema {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(described, path)) {
    const { http } = TRANSPORTS[problems[code].kind];
    byStatus.set(http, [...(byStatus.get(http) ?? []), code]);
  }
  const { refusal } = described.route;
  const refused =
    refusal && contentOf(jsonSchemaOf(refusal.answer, components, 'output'), JSON_TYPES);
  const statuses = [...new Set([...byStatus.keys(), ...(refusal?.statuses ?? [])])];
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = byStatus.get(status);
      const content = {
        ...(codes && { 'application/problem+json': { schema: problemSchema(codes) } }),
        ...(refusal?.statuses.includes(status) && refused),
      };
      return [status, sharedResponse(titleOf(status), content, components)];
    }),
  );
}

/** Many operations fail alike: each way is written down once, as a component. */
function sharedResponse(description: string, content: JsonSchema, { responses }: Components) {
  const response = { description, content };
  const same = [...responses].find(([, one]) => isDeepStrictEqual(one, response));
  const alike = [...responses.values()].filter((one) => one['description'] === description);
  const name = same?.[0] ?? `${description.replaceAll(' ', '')}${alike.length || ''}`;
  responses.set(name, response);
  return { $ref: `#/components/responses/${name}` };
}

const titleOf = (status: number): string =>
  Object.values(TRANSPORTS).find(({ http }) => http === status)?.title ?? String(status);

const headersTooLarge = () => ({
  'application/problem+json': { schema: problemSchema(['headers_too_large']) },
});

const problemSchema = (codes: readonly ProblemCode[]) => ({
  allOf: [
    { $ref: '#/components/schemas/Problem' },
    { type: 'object', properties: { code: { enum: codes } } },
  ],
});
