import { AppError } from '@junction/errors';
import type { Event, EventCodec, StoredData } from '@junction/eventsourcing';
import type { Notifier, ProjectionSet } from '@junction/eventsourcing/postgres';
import type { Operations } from '@junction/messaging';
import type { RingUse } from '@junction/vault';
import { Router } from 'express';
import type pg from 'pg';
import type { Finding } from '../doctor/finding.js';
import type { Health, Logger } from '../process/index.js';
import { addConsumerRoutes } from './consumer-routes.js';
import type { Context, OperatorRouters } from './context.js';
import { addDeadLetterRoutes } from './dead-letter-routes.js';
import type { Fold } from './fold.js';
import { addFollowRoute } from './follow-route.js';
import type { Journal } from './journal.js';
import { addKeyRoutes } from './key-routes.js';
import { OPS, operationFold, opsCodec } from './operation.js';
import { addProjectionRoutes } from './projection-routes.js';
import { addServiceRoutes } from './service-routes.js';
import { addStreamRoutes } from './stream-routes.js';

export interface OperatorOptions<E extends Event> {
  /** The service's name. */
  readonly name: string;
  /** The service's read models, with the codec that opens what is sealed: rebuilding needs it. */
  readonly projections: ProjectionSet<E>;
  /** Notifies of commits on the same database. */
  readonly notifier: Notifier;
  /** Pool for reads and moves of all events: its statements may take as long as a stream of answers. */
  readonly maintenance: pg.Pool;
  /** Codec of the same events with the closed vault: sealed fields stay sealed in answers. */
  readonly codec: Pick<EventCodec<Event>, 'decode'>;
  /** `foldOf` each decider, by aggregate. */
  readonly folds: Readonly<Record<string, Fold>>;
  /** The key ring, and where the service has sealed with it. */
  readonly sealed: RingUse;
  /** Absent for a service that consumes nothing. */
  readonly operations?: Operations;
  /** Readiness of the service, from its checks. */
  readonly health: Pick<Health, 'ready'>;
  /** Runs all checks of what the service needs. */
  readonly diagnose: () => Promise<readonly Finding[]>;
  /** Journal that records each call. */
  readonly journal: Journal;
  readonly log: Logger;
  /** Aborts when the service stops: followers would hold its server open. */
  readonly stopping: AbortSignal;
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
    operations: () => operations ?? consumesNothing(name),
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
