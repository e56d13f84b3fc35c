import type { Migration } from '@junction/eventsourcing/postgres';

/** Column for the time of an event as its producer gives it. The id of a delivery says when the event was taken in. */
export const eventTimes: Migration = {
  name: 'webhooks/0013_event_times',

  async up(db) {
    await db.raw(`
      alter table deliveries add column event_time timestamptz; -- null: filed by a version that did not keep it
    `);
  },
};
