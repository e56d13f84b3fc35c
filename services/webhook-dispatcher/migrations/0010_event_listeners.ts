import type { Migration } from '@junction/eventsourcing/postgres';

/** Columns for users who follow their events as they come, and not only the attempts to deliver them. */
export const eventListeners: Migration = {
  name: 'webhooks/0010_event_listeners',

  async up(db) {
    await db.raw('alter table live_listeners add column events_until timestamptz');
    // The body that a webhook would have got, sealed with the user's key.
    await db.raw('alter table live_tail add column body bytea');
  },
};
