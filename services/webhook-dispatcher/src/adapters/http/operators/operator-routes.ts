import { actorOf } from '@junction/operations';
import type { OperatorRouters } from '@junction/service';
import { Router } from 'express';
import {
  addKeyRotation,
  addOperating,
  addPause,
  addProbe,
  type OperatorChanges,
} from './operator-changes.js';
import { addReads, addShards, type OperatorReading } from './operator-reads.js';

type OperatorRoutesOptions = OperatorChanges & Pick<OperatorReading, 'pool' | 'maintenance'>;

/**
 * Makes the routes for operators that only webhook-dispatcher has. No answer holds a payload, and urls are reduced to
 * their host.
 */
export function operatorRoutes(options: OperatorRoutesOptions): OperatorRouters {
  const { journal, pool, maintenance } = options;
  const routers = { people: Router(), tools: Router() };
  const record: OperatorReading['record'] = (res, ...asked) => journal.read(actorOf(res), ...asked);
  const reading = { pool, maintenance, record };
  addReads(routers, reading);
  addOperating(routers.people, options);
  addPause(routers.people, options);
  addProbe(routers.tools, options);
  addShards(routers.tools, reading);
  addKeyRotation(routers.tools, options);
  return routers;
}
