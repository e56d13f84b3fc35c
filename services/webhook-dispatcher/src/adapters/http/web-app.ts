import {
  authenticateUser,
  type Health,
  httpApp,
  idempotency,
  jsonBody,
  type Logger,
  type Metrics,
} from '@junction/service-kit';
import type { Express, Router } from 'express';
import type { Application } from '../../application/application.js';
import type { History } from '../../application/history.js';
import type { TargetProblem } from '../webhook/target-rules.js';
import { eventTypeRoutes, historyRoutes } from './history-routes.js';
import { webhookRoutes } from './webhook-routes.js';

export interface WebAppOptions {
  readonly app: Application;
  readonly history: History;
  /** The live tail. */
  readonly streams: Router;
  readonly problemOf: (url: string) => TargetProblem | undefined;
  readonly authentication: Parameters<typeof authenticateUser>[0];
  readonly repeats: Omit<Parameters<typeof idempotency>[0], 'log'>;
  readonly log: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** The HTTP door. The order of what a request passes is the policy. */
export function webApp({
  app,
  history,
  streams,
  problemOf,
  authentication,
  repeats,
  log,
  ...observed
}: WebAppOptions): Express {
  const forUsers = [authenticateUser(authentication), jsonBody, idempotency({ ...repeats, log })];
  return httpApp({
    log,
    ...observed,
    // The first route that fits a path answers: those with names of their own before those with ids.
    routes: [
      { through: [], router: eventTypeRoutes() },
      { through: forUsers, router: streams },
      { through: forUsers, router: historyRoutes(history) },
      { through: forUsers, router: webhookRoutes(app, problemOf) },
    ],
  });
}
