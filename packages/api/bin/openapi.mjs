#!/usr/bin/env node
// The routes of all services → packages/api/openapi.json, in the folder it is run in. After `tsc -b`.
//
//   openapi.mjs          compares the document with the landed one, and writes it
//   openapi.mjs --check  fails when the file is not exactly that
//
// A document that breaks clients of the landed one is refused. To break them on purpose, delete the file first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { breaksOf, openApiDocument } from '@junction/api';
import { operatorRoutes } from '@junction/platform';
import { jsonBody, routesOf } from '@junction/service-kit/http';
import { routes as authRoutes } from '../../../services/auth/dist/src/adapters/http/routes.js';
import { routes as integrationsRoutes } from '../../../services/integrations/dist/src/adapters/http/routes.js';
import { liveStream } from '../../../services/webhook-dispatcher/dist/src/adapters/http/live-stream.js';
import { routes as dispatcherRoutes } from '../../../services/webhook-dispatcher/dist/src/adapters/http/routes.js';

const FILE = 'packages/api/openapi.json';
const BREAKS_MAX = 20;

/** Stands where a request would be let through, or where a use case would be called: nobody calls it. */
const nobody = () => () => {
  throw new Error('Routes are described here, not run.');
};
const [user, operator, idempotent] = [nobody(), nobody(), nobody()];
const known = [user, jsonBody];
const gates = {
  verify: nobody(),
  known,
  forOperators: [...known, operator],
  forUsers: [...known, idempotent],
};
const app = { issuers: {}, secondFactors: {} };
const SERVICES = ['auth', 'integrations', 'webhook-dispatcher'];

const groups = [
  ...authRoutes({ app, operators: {}, keys: {}, publicUrl: 'https://junction.invalid' })(gates),
  ...integrationsRoutes(app, {})(gates),
  ...dispatcherRoutes({ app, streams: liveStream({}, {}, app), problemOf: nobody() })(gates),
  ...SERVICES.map((name) => ({ through: gates.forOperators, router: operatorRoutes(name, {}) })),
];

const document = openApiDocument(
  groups.flatMap(({ through, router }) =>
    routesOf(router).map((route) => ({ route, gates: gatesOf(through), tag: tagOf(route.path) })),
  ),
);
const text = `${JSON.stringify(document, null, 1)}\n`;
const landed = existsSync(FILE) ? readFileSync(FILE, 'utf8') : undefined;

if (process.argv.includes('--check')) {
  if (landed !== text) fail(`${FILE} is not what the routes say. Run \`npm run generate\`.`);
} else {
  const breaks = landed === undefined ? [] : breaksOf(JSON.parse(landed), document);
  if (breaks.length > 0) {
    fail(
      `${breaks.slice(0, BREAKS_MAX).join('\n')}\nTo break clients on purpose, delete ${FILE} first.`,
    );
  }
  writeFileSync(FILE, text);
}

function gatesOf(through) {
  const names = [
    [jsonBody, 'json'],
    [user, 'user'],
    [operator, 'operator'],
    [idempotent, 'idempotent'],
  ];
  return new Set(names.filter(([gate]) => through.includes(gate)).map(([, name]) => name));
}

/** The heading of a path: what stands behind /api, or the kind of thing it is. */
function tagOf(path) {
  const [, , first] = path.split('/');
  if (!path.startsWith('/api/')) return 'tokens';
  return { auth: 'accounts', ops: 'operations' }[first] ?? first;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
