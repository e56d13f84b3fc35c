import { SERVICE_SCOPES } from '@junction/contracts';
import { type Gates, INTERNAL, type Reading } from '@junction/service';
import {
  type EventStreams,
  jsonBody,
  type RouteGroup,
  securityEventBody,
} from '@junction/service/http';
import type { Application } from '../../application/application.js';
import type { Config } from '../../config.js';
import { connectingRoutes, returnToRoutes } from './connecting/routes.js';
import { integrationRoutes, primaryRoutes } from './connections/routes.js';
import { statusStream } from './connections/status-stream.js';
import { endingRoutes } from './ending/routes.js';
import { securityEventRoutes } from './ending/security-event-routes.js';
import { historyRoutes } from './history/routes.js';
import { fewASecond } from './rate-limits.js';
import { vendingRoutes } from './vending/routes.js';

/**
 * Returns the routes, each group behind the handlers that its requests pass: the order is the policy. The first route
 * that fits a path answers, so routes with fixed names stand before {integration}.
 */
export const routes =
  (
    app: Application,
    streams: EventStreams,
    reading: Reading,
    { tokensThroughGateway }: Pick<Config, 'tokensThroughGateway'>,
  ) =>
  ({ forServices, forUsers }: Gates): readonly RouteGroup[] => [
    ...(tokensThroughGateway ? [{}, { prefix: INTERNAL }] : [{ prefix: INTERNAL }]).map(
      (place) => ({
        ...place,
        through: forServices(SERVICE_SCOPES.readTokens),
        router: vendingRoutes(app),
      }),
    ),
    { through: forUsers, router: statusStream(streams, reading) },
    { through: forUsers, router: connectingRoutes(app) },
    { through: forUsers, router: integrationRoutes(reading) },
    { through: forUsers, router: historyRoutes(app) },
    { through: forUsers, router: primaryRoutes(app, reading) },
    { through: forUsers, router: endingRoutes(app) },
    { through: [fewASecond('questions'), jsonBody], router: returnToRoutes(app) },
    { through: [fewASecond('events'), securityEventBody], router: securityEventRoutes(app) },
  ];
