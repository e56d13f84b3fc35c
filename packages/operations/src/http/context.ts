import type { Event, EventCodec } from '@junction/eventsourcing';
import type { Notifier } from '@junction/eventsourcing/postgres';
import type { Operations } from '@junction/messaging';
import type { Health, Logger } from '@junction/service/process';
import type { Rotation } from '@junction/vault';
import type pg from 'pg';
import type { Finding } from '../doctor/finding.js';
import type { Fold } from './fold.js';
import type { Journal } from './journal.js';

/** Service whose routes for operators are mounted, and the dependencies of their handlers. */
export interface Context {
  /** Beginning of each path: `/api/ops/auth`. */
  readonly path: string;
  readonly pool: pg.Pool;
  /** Pool for reads and moves of all events: its statements may take as long as a stream of answers. */
  readonly maintenance: pg.Pool;
  /** Notifies of commits on the same database. */
  readonly notifier: Notifier;
  /** Codec of the service's events with the closed vault: sealed fields stay sealed in answers. */
  readonly codec: Pick<EventCodec<Event>, 'decode'>;
  /** `foldOf` each decider, by aggregate. */
  readonly folds: Readonly<Record<string, Fold>>;
  readonly rotation: Rotation;
  /** Operations on this pool, or on that of the service. AppError `consumes_nothing` for one without consumers. */
  readonly operations: (on?: pg.Pool) => Operations;
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
