import type { Migration } from '@junction/eventsourcing/postgres';

/** Notices about failing webhooks. */
export const toldFailing: Migration = {
  name: 'webhooks/0008_told_failing',

  async up(db) {
    await db.raw(`
-- Time at which the owner was last notified that the webhook fails; null: not yet.
alter table failing_webhooks add column told_at timestamptz;
`);
  },
};
