import { type CatalogueEntry, EVENT_CATALOGUE } from '@junction/contracts';
import { ACCESS_COOKIE } from '@junction/service/callers';
import { z } from 'zod';
import type { Described, Tag } from './described.js';
import { OF_USER, operationOf, PATH_PARAMETERS, reference, templateOf } from './operation.js';
import { type Components, type JsonSchema, jsonSchemaOf } from './schemas.js';
import { pascal, WEBHOOK_HEADERS, webhookBody } from './webhook-request.js';

const problem = z
  .looseObject({
    type: z.string().describe('Address of the page that explains the problem.'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('Explanation for a person: what happened, and what to do.'),
    instance: z
      .string()
      .optional()
      .describe('The path that was asked for; the gateway tells none.'),
    code: z.string().describe('Stable: branch on it.'),
    request_id: z.string().describe('The same as X-Request-Id. Tell it to who helps you.'),
    errors: z
      .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
      .optional()
      .describe('Each mistake of the request, by its field.'),
  })
  .meta({ id: 'Problem', description: 'A problem (RFC 9457).' });

const TAGS: Readonly<Record<Tag, string>> = {
  accounts: 'Users, their sessions, second factors and API keys.',
  integrations: 'Mailboxes and calendars, connected by OAuth 2.0.',
  webhooks: 'Endpoints, their deliveries, and sending again.',
  events: 'What came for a user, and which webhooks it matched.',
  portals: 'The webhook pages in the frame of another product.',
  tokens: 'Keys and tokens for services.',
  operations: 'For operators of the installation.',
};

const ABOUT = `Connects mailboxes and calendars, and delivers assistant events as signed webhooks.

Every error is a problem (RFC 9457) with a stable \`code\`; its \`type\` is the address where it is explained. Lists are read
on with \`cursor\` as \`next_cursor\` had it. Limits are told in \`RateLimit\` and \`Retry-After\`.`;

/** The OpenAPI 3.1 document of these routes. Its order is theirs. */
export function openApiDocument(described: readonly Described[]): JsonSchema {
  const components: Components = { schemas: new Map(), responses: new Map() };
  jsonSchemaOf(z.object({ problem }), components, 'output');
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const ids = new Set<string>();
  for (const one of described) {
    const { id, method, path } = one.route;
    if (ids.has(id)) throw new Error(`Two operations are called ${id}.`);
    ids.add(id);
    paths[templateOf(path)] = {
      ...paths[templateOf(path)],
      [method]: operationOf(one, components),
    };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Junction',
      version: '1',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: OF_USER,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooksOf(EVENT_CATALOGUE),
    components: {
      securitySchemes: SECURITY,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: Object.fromEntries(components.responses),
      schemas: Object.fromEntries(components.schemas),
    },
  };
}

const SECURITY = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token, or an API key with the scope that x-api-key-scope names.',
  },
  service: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of a service, from `/oauth/token`.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: ACCESS_COOKIE,
    description: 'Of a browser session, for pages of this origin.',
  },
};

const HEADERS = {
  ETag: {
    description: 'The version of what is shown, for If-Match and If-None-Match.',
    schema: { type: 'string' },
  },
};

const PARAMETERS = {
  ...PATH_PARAMETERS,
  ...Object.fromEntries(
    Object.entries(WEBHOOK_HEADERS).map(([key, header]) => [
      key,
      { in: 'header', ...header, schema: { type: 'string' } },
    ]),
  ),
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes the request safe to repeat for 24 hours: a repeat gets the first answer.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
  IfMatch: {
    in: 'header',
    name: 'If-Match',
    required: false,
    description: 'An ETag as it came: the request changes that version or none.',
    schema: { type: 'string' },
  },
};

/** The requests that carry events of these kinds to a webhook. */
export const webhooksOf = (entries: readonly CatalogueEntry[]): JsonSchema =>
  Object.fromEntries(entries.map((entry) => [entry.kind, webhookOf(entry)]));

/** The request that carries an event of this kind to a webhook. */
const webhookOf = (entry: CatalogueEntry) => ({
  post: {
    operationId: `on${pascal(entry.kind)}`,
    tags: ['webhooks'],
    summary: entry.description,
    security: [],
    parameters: Object.keys(WEBHOOK_HEADERS).map(reference),
    requestBody: { required: true, content: { 'application/json': webhookBody(entry) } },
    responses: { '2XX': { description: 'It has arrived. Anything else is tried again.' } },
  },
});
