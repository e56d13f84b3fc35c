import type { Migration } from '@junction/eventsourcing/postgres';

/** Columns and the index that answer for what a webhook lacks: attempts, or events that its filter let through. */
export const numbersAtAGlance: Migration = {
  name: 'webhooks/0007_numbers_at_a_glance',

  async up(db) {
    await db.raw(HOURS);
    await db.raw(HELD);
  },
};

const HOURS = `
alter table webhook_hours
  add filtered         integer not null default 0, -- events that the filter dropped
  add last_at          timestamptz, -- of the hour's last attempt; null: there was none
  add last_delivery_id uuid,
  add last_result      text;
`;

const HELD = `
create index outcomes_held on outcomes (webhook_id) where status = 'held';
`;
