import { randomUUID } from 'node:crypto';
import { AppError } from '@junction/errors';
import { nameRequest } from '@junction/telemetry';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import type { Health } from '../process/health.js';
import type { Logger } from '../process/logging/logger.js';
import type { Meter, Metrics } from '../process/metrics.js';
import { findCaller, findClient, requestIdOf, setCost, setRequestId, setRoute } from './caller.js';
import { trustProxies } from './client-network.js';
import { internalRoutes } from './internal-routes.js';
import { HUNG_UP, requestCost } from './mount.js';
import { problemHandler } from './problem.js';
import { type RouteGroup, type RouteMatch, type RouteTable, routeTable } from './route-table.js';

export interface HttpAppOptions {
  readonly log: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
  /** Groups of routes, for instance `{ through: [authenticate, jsonBody, idempotent], router: webhookRoutes(app) }`. */
  readonly routes: readonly RouteGroup[];
  /** Addresses whose X-Forwarded-For counts. Absent: one gateway, wherever it is. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** Creates the HTTP application: everything that an answer needs besides the routes. */
export function httpApp(options: HttpAppOptions): Express {
  const { log, health, metrics, trustedProxies = 1 } = options;
  observeHealth(health, metrics.meter);
  const groups = [{ through: [], router: internalRoutes(health, metrics) }, ...options.routes];
  const table = routeTable(groups);

  const app = trustProxies(express(), trustedProxies)
    .disable('x-powered-by')
    // Routes tag what has a version; a weak tag of the bytes would keep no change from overwriting another.
    .disable('etag')
    .enable('case sensitive routing')
    .set('query parser', 'simple')
    .use(helmet())
    .use(identify)
    .use(joinAuthorizations)
    .use(observe(table, options))
    .use(table.probe)
    .use((req, res, next) => {
      refuseUnknown(table.match(req, res), req, res);
      next();
    });

  for (const group of groups) {
    const { prefix = '/', through, router } = group;
    const chain = express.Router({ caseSensitive: true }).use(prefix, ...through, router);
    app.use((req, res, next) => {
      if (table.match(req, res).group === group) chain(req, res, next);
      else next();
    });
  }
  return app.use(noAnswer).use(problemHandler(log));
}

const identify: RequestHandler = (_req, res, next) => {
  const requestId = randomUUID();
  setRequestId(res, requestId);
  res.setHeader('x-request-id', requestId);
  res.setHeader('cache-control', 'no-store');
  next();
};

/**
 * Joins several fields `Authorization` as other fields of one name (RFC 9110, section 5.3), so that no credential is
 * read of them. Node keeps the first and drops the rest without a word.
 */
const joinAuthorizations: RequestHandler = ({ headers, headersDistinct }, _res, next) => {
  const { authorization: all = [] } = headersDistinct;
  if (all.length > 1) headers.authorization = all.join(', ');
  next();
};

function refuseUnknown(match: RouteMatch, req: Request, res: Response): void {
  const { group, route, methods, described } = match;
  if (route !== undefined) {
    nameRequest(req.method, route);
    setRoute(res, route);
    if (described) setCost(res, requestCost(described, req.query));
  }
  if (group) return;
  if (methods.length === 0) throw noSuchRoute();
  const allow = methods.join(', ');
  res.setHeader('allow', allow);
  throw new AppError(
    'method_not_allowed',
    `This resource does not answer to ${req.method}; it answers to ${allow}.`,
  );
}

const observeHealth = (health: Health, meter: Meter): void =>
  meter.gauge(
    'junction_health_check_failing',
    '1 for each check of readiness that fails now.',
    ['check'],
    async () => {
      const { failing } = await health.ready();
      return failing.map((check) => ({ value: 1, labels: { check } }));
    },
  );

/** Answers for a matched route that passed the request on. */
const noAnswer: RequestHandler = () => {
  throw noSuchRoute();
};

const noSuchRoute = (): AppError => new AppError('no_such_route', 'There is no such resource.');

/** Routes of probes and scrapers, whose requests are many and alike. */
const PROBES = new Set(['/internal/health/live', '/internal/health/ready', '/internal/metrics']);

/** Writes a log line and a measurement for each request, when its answer is out or its caller gone. */
const observe =
  (table: RouteTable, { log, metrics }: Pick<HttpAppOptions, 'log' | 'metrics'>): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const { route = 'unknown' } = table.match(req, res);
      const { method } = req;
      const status = res.writableFinished ? res.statusCode : HUNG_UP;
      metrics.http.observe({ method, route, status: String(status) }, durationMs / 1_000);

      log[PROBES.has(route) ? 'debug' : 'info'](
        {
          request_id: requestIdOf(res),
          method,
          route,
          status,
          duration_ms: Math.round(durationMs * 10) / 10,
          user_id: findCaller(res)?.userId,
          client_id: findClient(res),
        },
        'request',
      );
    });
    next();
  };
