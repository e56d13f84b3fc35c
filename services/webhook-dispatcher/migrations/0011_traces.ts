import type { Migration } from '@junction/eventsourcing-postgres';

/** Which trace a delivery belongs to, and which receivers are told. */
export const traces: Migration = {
  name: 'webhooks/0011_traces',

  async up(db) {
    await db.raw(`
      -- As in the header of W3C Trace Context; null: in none that is recorded, and none that its producer named.
      alter table deliveries add column traceparent text;
      alter table webhooks add column trace_context boolean not null default false;
    `);
  },
};
