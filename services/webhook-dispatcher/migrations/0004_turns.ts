import type { Migration } from '@junction/eventsourcing-postgres';

/** What a replica needs to work off a crowd fairly, and to own what it reads. */
export const turns: Migration = {
  name: 'webhooks/0004_turns',

  async up(db) {
    await db.raw(`
      -- From webhook to webhook without passing their rows, and to what is due of each.
      create index pending_due_of_webhook on pending (webhook_id, next_at);

      -- Partitions of the topic of events that it consumes: their users are best sent for where they
      -- are read.
      alter table replicas add column partitions smallint[] not null default '{}';
    `);
  },

  async down(db) {
    await db.raw(`
      alter table replicas drop column partitions;
      drop index pending_due_of_webhook;
    `);
  },
};
