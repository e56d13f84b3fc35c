import type { OperatorRouters } from '@junction/service';
import { Router } from 'express';
import { addBacklog } from './operator-backlog-route.js';
import { addCircuits } from './operator-circuit-routes.js';
import { addFailing } from './operator-failing-routes.js';
import { addKeyRotation } from './operator-key-route.js';
import type { OperatorRoutesOptions } from './operator-options.js';
import { addShards } from './operator-shard-route.js';

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
