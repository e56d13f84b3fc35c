import type { Migration } from '@junction/eventsourcing-postgres';

/** Whose webhooks changed, so that a replica that remembers many users forgets these alone. */
export const webhookChanges: Migration = {
  name: 'webhooks/0011_webhook_changes',

  async up(db) {
    await db.raw(`
      -- One row for each version of webhook_index, whose lock has them committed in this order. Kept for an hour.
      create table webhook_changes (
        version bigint      primary key,
        user_id uuid        not null,
        at      timestamptz not null default now()
      );

      create or replace function bump_webhook_index() returns trigger language plpgsql as $$
      begin
        with next as (update webhook_index set version = version + 1 returning version)
        insert into webhook_changes (version, user_id)
        select version, coalesce(new.user_id, old.user_id) from next;
        return null;
      end $$;
    `);
  },

  async down(db) {
    await db.raw(`
      create or replace function bump_webhook_index() returns trigger language plpgsql as $$
      begin
        update webhook_index set version = version + 1;
        return null;
      end $$;
      drop table webhook_changes;
    `);
  },
};
