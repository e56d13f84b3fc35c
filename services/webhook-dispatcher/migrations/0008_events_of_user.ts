import type { Migration } from '@junction/eventsourcing-postgres';

/**
 * Without the id. A batch of events has one moment, so that its entries for a user become one, and the
 * few rows of a moment are sorted when they are read.
 */
export const eventsOfUser: Migration = {
  name: 'webhooks/0008_events_of_user',

  async up(db) {
    await db.raw(`
      drop index seen_events_of_user;
      create index seen_events_of_user on seen_events (user_id, at);
    `);
  },

  async down(db) {
    await db.raw(`
      drop index seen_events_of_user;
      create index seen_events_of_user on seen_events (user_id, at, message_id);
    `);
  },
};
