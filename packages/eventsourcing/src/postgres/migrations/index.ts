import { events } from './0001-events.js';
import { commandsAndOutbox } from './0002-commands-and-outbox.js';
import { append } from './0003-append.js';
import { projections } from './0004-projections.js';
import type { Migration } from './migrate.js';

/** The event store's own tables. They come before a service's migrations. */
export const eventStoreMigrations: readonly Migration[] = [
  events,
  commandsAndOutbox,
  append,
  projections,
];
