import type { EventCatalogue } from '@junction/contracts';
import type { Gates } from '@junction/service';
import type { EventStreams, RouteGroup } from '@junction/service/http';
import type { Application } from '../../application/application.js';
import type { Live } from '../../application/live/live.js';
import type { WebhookKeys } from '../../application/sending/webhook-keys.js';
import type { TargetRules } from '../webhook/target-rules.js';
import { deliveryRoutes } from './history/delivery-routes.js';
import { eventTypeRoutes, historyRoutes } from './history/history-routes.js';
import { liveStreams } from './live/live-streams.js';
import { replayRoutes } from './replaying/replay-routes.js';
import { webhookKeysRoutes } from './sending/webhook-keys-routes.js';
import { statisticsRoutes } from './statistics/statistics-routes.js';
import { filterPreviewRoutes } from './webhooks/filter-preview-routes.js';
import { webhookRoutes } from './webhooks/webhook-routes.js';

export interface RoutesOptions {
  readonly app: Application;
  readonly catalogue: EventCatalogue;
  readonly webhookKeys: WebhookKeys;
  readonly live: Live;
  readonly streams: EventStreams;
  readonly config: TargetRules;
}

/** Lists the routes, each group with the gates that its requests pass first. The order is the policy. */
export const routes =
  ({ app, catalogue, webhookKeys, live, streams, config }: RoutesOptions) =>
  // The first route that matches a path answers, so routes with fixed names come before routes with ids.
  ({ forUsers }: Gates): readonly RouteGroup[] => [
    { through: [], router: eventTypeRoutes(catalogue) },
    { through: [], router: webhookKeysRoutes(webhookKeys) },
    { through: forUsers, router: liveStreams(live, streams, app) },
    { through: forUsers, router: historyRoutes(app, catalogue) },
    { through: forUsers, router: filterPreviewRoutes(app, catalogue) },
    { through: forUsers, router: statisticsRoutes(app) },
    { through: forUsers, router: replayRoutes(app, catalogue) },
    { through: forUsers, router: deliveryRoutes(app, catalogue) },
    { through: forUsers, router: webhookRoutes(app, config, catalogue) },
  ];
