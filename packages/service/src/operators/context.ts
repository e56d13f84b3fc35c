import type { Event, EventCodec } from '@junction/eventsourcing';
import type { Notifier } from '@junction/eventsourcing/postgres';
import type { Operations } from '@junction/messaging';
import type { Rotation } from '@junction/vault';
import type { Router } from 'express';
import type pg from 'pg';
import type { Finding } from '../doctor/finding.js';
import type { Health, Logger } from '../process/index.js';
import type { Fold } from './fold.js';
import type { Journal } from './journal.js';

/** Service whose routes for operators are mounted, and the dependencies of their handlers. */
export interface Context {
  /** Beginning of each path: `/api/ops/auth`. */
  readonly path: string;
  readonly pool: pg.Pool;
  /** Pool whose statement timeouts let every event be read. */
  readonly maintenance: pg.Pool;
  readonly notifier: Notifier;
  readonly codec: Pick<EventCodec<Event>, 'decode'>;
  readonly folds: Readonly<Record<string, Fold>>;
  readonly rotation: Rotation;
  /** Throws AppError `consumes_nothing` for a service without consumers. */
  readonly operations: () => Operations;
  readonly health: Pick<Health, 'ready'>;
  readonly diagnose: () => Promise<readonly Finding[]>;
  readonly journal: Journal;
  readonly log: Logger;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
}

/** Routers of a service for its operators. */
export interface OperatorRouters {
  /** Routes for operators in a browser, which service accounts use too. */
  readonly people: Router;
  /** Routes for service accounts alone. */
  readonly tools: Router;
}
