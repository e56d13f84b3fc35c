import {
  authenticateUser,
  type EventStreams,
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
import { fewASecond } from './few-a-second.js';
import { integrationRoutes } from './integration-routes.js';
import { returnToRoutes } from './return-to-routes.js';
import { securityEventRoutes } from './security-event-routes.js';
import { statusStream } from './status-stream.js';

export interface WebAppOptions {
  readonly app: Application;
  readonly streams: EventStreams;
  readonly authentication: Parameters<typeof authenticateUser>[0];
  readonly repeats: Omit<Parameters<typeof idempotency>[0], 'log'>;
  readonly log: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** The HTTP server. The order of the handlers that a request passes is the policy. */
export function webApp({
  app,
  streams,
  authentication,
  repeats,
  log,
  ...observed
}: WebAppOptions): Express {
  const forUsers = [authenticateUser(authentication), jsonBody, idempotency({ ...repeats, log })];
  return httpApp({
    log,
    ...observed,
    // The first route that fits a path answers: those with names of their own before {provider}.
    routes: [
      { through: forUsers, router: statusStream(app, streams) },
      { through: forUsers, router: integrationRoutes(app) },
      { through: [fewASecond('questions'), jsonBody], router: returnToRoutes(app) },
      { through: [fewASecond('events'), securityEventBody], router: securityEventRoutes(app) },
    ],
  });
}
