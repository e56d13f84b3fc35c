import type { Migration } from '@junction/eventsourcing/postgres';

/** Columns for the trace of a delivery, and for whether a webhook passes the trace on to its receiver. */
export const traces: Migration = {
  name: 'webhooks/0011_traces',

  async up(db) {
    await db.raw(`
      -- Trace of the event, as in the header of W3C Trace Context; null: no recorded trace, and none that its
      -- producer named.
      alter table deliveries add column traceparent text;
      alter table webhooks add column trace_context boolean not null default false;
    `);
  },
};
