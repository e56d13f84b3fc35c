import type { Migration } from '@junction/eventsourcing/postgres';

/** Columns that mark a delivery made by a test or a replay instead of an incoming event. */
export const deliveryMarks: Migration = {
  name: 'webhooks/0012_delivery_marks',

  async up(db) {
    await db.raw(`
      alter table deliveries
        add column is_test boolean,    -- null: it is of an event that came
        add column operation_id uuid;  -- the replay that sent it; null: none did
    `);
  },
};
