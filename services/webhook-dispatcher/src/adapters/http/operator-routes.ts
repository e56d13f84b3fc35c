import type { Journal, OperatorRouters } from '@junction/ops';
import { Router } from 'express';
import type pg from 'pg';
import type { rotateWebhookKeys } from '../../application/rotate-webhook-keys.js';
import { addBacklog } from './operator-backlog-route.js';
import { addCircuits } from './operator-circuit-routes.js';
import { addFailing } from './operator-failing-routes.js';
import { addKeyRotation } from './operator-key-route.js';
import { addShards } from './operator-shard-route.js';

export interface OperatorRoutesOptions {
  readonly rotate: ReturnType<typeof rotateWebhookKeys>;
  /** Notifies the replicas that a webhook has changed. */
  readonly webhookChanged: (webhookId: string) => void;
  readonly pool: pg.Pool;
  /** Pool for statements that may take long. */
  readonly maintenance: pg.Pool;
  readonly journal: Journal;
}

/**
 * Makes the routes for operators that only webhook-dispatcher has. No answer holds a payload, and urls are reduced to
 * their host.
 */
export function operatorRoutes(options: OperatorRoutesOptions): OperatorRouters {
  const routers = { people: Router(), tools: Router() };
  addFailing(routers, options);
  addBacklog(routers.tools, options);
  addCircuits(routers.tools, options);
  addShards(routers.tools, options);
  addKeyRotation(routers.tools, options);
  return routers;
}
