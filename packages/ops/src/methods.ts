import type { Event, EventCodec } from '@junction/eventsourcing';
import type { Notifier } from '@junction/eventsourcing-postgres';
import type { Logger } from '@junction/service-kit/process';
import type pg from 'pg';
import type { Fold } from './fold.js';
import type { Journal } from './journal.js';

/** Dependencies of the methods of OpsService. */
export interface Methods {
  readonly pool: pg.Pool;
  readonly notifier: Notifier;
  readonly codec: Pick<EventCodec<Event>, 'decode'>;
  readonly folds: Readonly<Record<string, Fold>>;
  readonly journal: Journal;
  readonly log: Logger;
}
