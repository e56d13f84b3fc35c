import type { Migration } from '../migrate.js';
import { events } from './0001-events.js';
import { commandsAndOutbox } from './0002-commands-and-outbox.js';
import { append } from './0003-append.js';
import { snapshotsAndProjections } from './0004-snapshots-and-projections.js';
import { projectionRuns } from './0005-projection-runs.js';
import { cheaperAppends } from './0006-cheaper-appends.js';

/** The event store's own tables. They come before a service's migrations. */
export const eventStoreMigrations: readonly Migration[] = [
  events,
  commandsAndOutbox,
  append,
  snapshotsAndProjections,
  projectionRuns,
  cheaperAppends,
];
