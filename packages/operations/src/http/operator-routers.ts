import { AppError } from '@junction/errors';
import type { Event, StoredData } from '@junction/eventsourcing';
import type { ProjectionSet } from '@junction/eventsourcing/postgres';
import type { OperatorRouters } from '@junction/service';
import type { RingUse } from '@junction/vault';
import { Router } from 'express';
import { addConsumerRoutes } from './consumer-routes.js';
import type { Context } from './context.js';
import { addDeadLetterRoutes } from './dead-letter-routes.js';
import { addFollowRoute } from './follow-route.js';
import { addKeyRoutes } from './key-routes.js';
import { OPS, operationFold, opsCodec } from './operation.js';
import { addProjectionRoutes } from './projection-routes.js';
import { addServiceRoutes } from './service-routes.js';
import { addStreamRoutes } from './stream-routes.js';

export interface OperatorOptions<E extends Event>
  extends Omit<Context, 'path' | 'pool' | 'rotation' | 'operations'>,
    Partial<Pick<Context, 'operations'>> {
  /** The service's name. */
  readonly name: string;
  /** The service's read models, with the codec that opens what is sealed: rebuilding needs it. */
  readonly projections: ProjectionSet<E>;
  /** The key ring, and where the service has sealed with it. */
  readonly sealed: RingUse;
}

/** Makes the routes for operators that every service has, for a service on this database. */
export function operatorRouters<E extends Event>(options: OperatorOptions<E>): OperatorRouters {
  const routers = { people: Router(), tools: Router() };
  const context = contextOf(options);
  addServiceRoutes(routers, context);
  // The first route that fits a path answers: events/stream stands before events/:event_id.
  addFollowRoute(routers.tools, context);
  addStreamRoutes(routers.tools, context);
  addProjectionRoutes(routers, context, options.projections);
  addConsumerRoutes(routers, context);
  addDeadLetterRoutes(routers, context);
  addKeyRoutes(routers.people, context);
  return routers;
}

function contextOf<E extends Event>({
  name,
  projections: { pool },
  sealed,
  operations,
  codec,
  folds,
  ...options
}: OperatorOptions<E>): Context {
  return {
    ...options,
    path: `/api/ops/${name}`,
    pool,
    rotation: { ...sealed, pool: options.maintenance },
    operations: operations ?? (() => consumesNothing(name)),
    codec: {
      decode: async (streamId: string, stored: StoredData): Promise<Event> =>
        streamId.startsWith(`${OPS}-`)
          ? opsCodec.decode(streamId, stored)
          : codec.decode(streamId, stored),
    },
    folds: { ...folds, [OPS]: operationFold },
  };
}

function consumesNothing(name: string): never {
  const message = `${name} consumes no topics, so it has no dead letters and no consumers.`;
  throw new AppError('consumes_nothing', message);
}
