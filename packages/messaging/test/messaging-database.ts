import { eventStoreMigrations, migrate } from '@junction/eventsourcing/postgres';
import { messagingMigrations } from '../src/migrations.js';

/** The schema for `useDatabase`: outbox, leases, offsets, dead letters. */
export const messagingDatabase = {
  template: 'messaging',
  migrate: (url: string) => migrate(url, [...eventStoreMigrations, ...messagingMigrations]),
};
