import type { Gates } from '@junction/service';
import type { RouteGroup } from '@junction/service/http';
import type { Router } from 'express';
import type { Application } from '../../application/application.js';
import type { WebhookKeys } from '../../application/sending/webhook-keys.js';
import type { TargetProblem } from '../webhook/target-rules.js';
import { deliveryRoutes } from './history/delivery-routes.js';
import { eventTypeRoutes, historyRoutes } from './history/history-routes.js';
import { replayRoutes } from './replaying/replay-routes.js';
import { webhookKeysRoutes } from './sending/webhook-keys-routes.js';
import { statisticsRoutes } from './statistics/statistics-routes.js';
import { filterPreviewRoutes } from './webhooks/filter-preview-routes.js';
import { webhookRoutes } from './webhooks/webhook-routes.js';

export interface RoutesOptions {
  readonly app: Application;
  readonly keys: WebhookKeys;
  /** Routes that stream deliveries and events as they happen. */
  readonly streams: Router;
  readonly problemOf: (url: string) => TargetProblem | undefined;
}

/** Lists the routes, each group with the gates that its requests pass first. The order is the policy. */
export const routes =
  ({ app, keys, streams, problemOf }: RoutesOptions) =>
  // The first route that matches a path answers, so routes with fixed names come before routes with ids.
  ({ forUsers }: Gates): readonly RouteGroup[] => [
    { through: [], router: eventTypeRoutes() },
    { through: [], router: webhookKeysRoutes(keys) },
    { through: forUsers, router: streams },
    { through: forUsers, router: historyRoutes(app) },
    { through: forUsers, router: filterPreviewRoutes(app) },
    { through: forUsers, router: statisticsRoutes(app) },
    { through: forUsers, router: replayRoutes(app) },
    { through: forUsers, router: deliveryRoutes(app) },
    { through: forUsers, router: webhookRoutes(app, problemOf) },
  ];
