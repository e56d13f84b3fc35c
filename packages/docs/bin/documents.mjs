#!/usr/bin/env node
import { catalogueOf } from '@junction/contracts';
import { operatorRouters } from '@junction/operations';
import { operatorGroups, operatorScope } from '@junction/service';
import { jsonBody, routesOf } from '@junction/service/http';
import { operatorRoutes as authOperators } from '../../../services/auth/dist/src/adapters/http/operators/operator-routes.js';
import { routes as authRoutes } from '../../../services/auth/dist/src/adapters/http/routes.js';
import { routes as integrationsRoutes } from '../../../services/integrations/dist/src/adapters/http/routes.js';
import { operatorRoutes as dispatcherOperators } from '../../../services/webhook-dispatcher/dist/src/adapters/http/operators/operator-routes.js';
import { routes as dispatcherRoutes } from '../../../services/webhook-dispatcher/dist/src/adapters/http/routes.js';
// Makes packages/docs/openapi.json from the routes of all services, and packages/docs/asyncapi.json from topics and
// webhook requests, in the folder where it runs. Needs `tsc -b` before.
//
//   documents.mjs          compares the OpenAPI document with the landed one, and writes both
//   documents.mjs --check  fails when the files are not exactly that
//
// A document that breaks clients of the landed one is refused. To break them on purpose, delete the file first.
import { asyncApiDocument, breaksOf, openApiDocument } from '../dist/index.js';
import { fail, makeFiles } from './made-files.mjs';

const FILE = 'packages/docs/openapi.json';
const BREAKS_MAX = 20;

/** Stands where a request would be let through, or where a use case would be called: nobody calls it. */
const nobody = () => () => {
  throw new Error('Routes are described here, not run.');
};
const [user, perhaps, operator, idempotent, tool] = [1, 2, 3, 4, 5].map(nobody);
/** The scope that each of them wants. */
const services = new Map();
const known = [user, jsonBody];
const gates = {
  verify: nobody(),
  idempotent,
  known,
  perhapsKnown: [perhaps, jsonBody],
  forOperators: [...known, operator, idempotent],
  forTools: [tool, jsonBody, idempotent],
  forUsers: [...known, idempotent],
  forServices: (scope) => {
    const service = nobody();
    services.set(service, scope);
    return [service, jsonBody];
  },
};
const app = { issuers: {}, secondFactors: {}, portalLinks: {} };
const TAGS = {
  auth: 'accounts',
  ops: 'operations',
  deliveries: 'webhooks',
  'portal-links': 'portals',
};

const groups = [
  ...authRoutes({ app, keys: {}, config: { publicUrl: 'https://junction.invalid' } })(gates),
  ...integrationsRoutes(app, {}, {}, {})(gates),
  ...dispatcherRoutes({
    app,
    catalogue: catalogueOf(),
    webhookKeys: {},
    live: {},
    streams: {},
    config: {},
  })(gates),
  ...[authOperators({ app }), dispatcherOperators({})].flatMap(ofOperators),
  // Every service has these routes, under its name.
  ...ofOperators(operatorRouters({ name: ':service', projections: {} })),
];

/** By route: one that is mounted twice is described once, with the gates of both places. */
const described = new Map();
for (const { prefix, through, router } of groups) {
  for (const route of routesOf(router).filter(({ isRetired }) => !isRetired)) {
    const known = described.get(route);
    described.set(route, {
      through: [...(known?.through ?? []), ...through],
      isInternal: prefix !== undefined && (known?.isInternal ?? true),
    });
  }
}
const document = openApiDocument(
  [...described].map(([route, { through, isInternal }]) => ({
    route,
    isInternal,
    gates: gatesOf(through),
    serviceScope: scopeOf(route, through),
    tag: tagOf(route.path),
  })),
);
makeFiles(
  { [FILE]: textOf(document), 'packages/docs/asyncapi.json': textOf(asyncApiDocument()) },
  (file, before) => {
    if (file === FILE) refuseBreaks(JSON.parse(before));
  },
);

function textOf(made) {
  return `${JSON.stringify(made, null, 1)}\n`;
}

function refuseBreaks(landed) {
  const breaks = breaksOf(landed, document);
  if (breaks.length === 0) return;
  const some = breaks.slice(0, BREAKS_MAX).join('\n');
  fail(`${some}\nTo break clients on purpose, delete ${FILE} first.`);
}

function ofOperators(routers) {
  return operatorGroups(gates, routers);
}

function scopeOf({ method }, through) {
  if (through.includes(tool)) return operatorScope(method.toUpperCase());
  return services.get(through.find((gate) => services.has(gate)));
}

function gatesOf(through) {
  const names = [
    [jsonBody, 'json'],
    [user, 'user'],
    [perhaps, 'perhaps_user'],
    [operator, 'operator'],
    [idempotent, 'idempotent'],
    [tool, 'tool'],
    ...[...services.keys()].map((service) => [service, 'service']),
  ];
  return new Set(names.filter(([gate]) => through.includes(gate)).map(([, name]) => name));
}

/** The heading of a path: what stands behind /api, or the kind of thing it is. */
function tagOf(path) {
  const [, , first] = path.split('/');
  if (path === '/.well-known/webhook-keys.json') return 'webhooks';
  if (!path.startsWith('/api/')) return 'tokens';
  return TAGS[first] ?? first;
}
