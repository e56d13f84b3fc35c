import {
  authenticateUser,
  type Health,
  httpApp,
  idempotency,
  jsonBody,
  type Logger,
  type Metrics,
  securityEventBody,
} from '@junction/service-kit';
import type { Express } from 'express';
import type { Application } from '../../application/application.js';
import { integrationRoutes } from './integration-routes.js';
import { fewASecond, securityEventRoutes } from './security-event-routes.js';

export interface WebAppOptions {
  readonly app: Application;
  readonly authentication: Parameters<typeof authenticateUser>[0];
  readonly repeats: Omit<Parameters<typeof idempotency>[0], 'log'>;
  readonly log: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** The HTTP door. The order of what a request passes is the policy. */
export const webApp = ({
  app,
  authentication,
  repeats,
  log,
  ...observed
}: WebAppOptions): Express =>
  httpApp({
    log,
    ...observed,
    routes: [
      {
        through: [authenticateUser(authentication), jsonBody, idempotency({ ...repeats, log })],
        router: integrationRoutes(app),
      },
      { through: [fewASecond(), securityEventBody], router: securityEventRoutes(app) },
    ],
  });
