import type { Migration } from '@junction/eventsourcing-postgres';

/** Who listens to events themselves, besides what became of them. */
export const eventListeners: Migration = {
  name: 'webhooks/0010_event_listeners',

  async up(db) {
    await db.raw('alter table live_listeners add column events_until timestamptz');
    // Sealed with the user's key: what a webhook would have got.
    await db.raw('alter table live_tail add column body bytea');
  },
};
