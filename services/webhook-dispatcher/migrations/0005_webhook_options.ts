import type { Migration } from '@junction/eventsourcing-postgres';

/** What a webhook wants besides where and which, when it was disabled, and since when it only fails. */
export const webhookOptions: Migration = {
  name: 'webhooks/0005_webhook_options',

  async up(db) {
    await db.raw(`
      alter table webhooks
        add column disabled_at     timestamptz,
        add column ordered         boolean not null default false,
        add column rate_limit      double precision,
        add column description     text,
        -- The filter as JSON. Text, for of an erased user it reads as none in a rebuild.
        add column filter          text,
        add column retry_schedule  double precision[],
        add column header_names    text[]  not null default '{}',
        add column headers_version integer not null default 0;

      -- The values of custom headers: a JSON object, sealed with the user's key.
      create table webhook_headers (
        webhook_id text    primary key references webhooks on delete cascade,
        version    integer not null,
        sealed     bytea   not null
      );

      -- What waits for an ordered webhook is read from its oldest on.
      drop index pending_of_webhook;
      create index pending_of_webhook on pending (webhook_id, delivery_id);

      -- Webhooks whose last attempt failed, and since when none succeeded. Small: one that is well has
      -- no row. No reference to webhooks, for a result may come after the webhook is gone.
      create table failing_webhooks (
        webhook_id uuid        primary key,
        since      timestamptz not null,
        last_at    timestamptz not null
      );
    `);
  },

  async down(db) {
    await db.raw(`
      drop index pending_of_webhook;
      create index pending_of_webhook on pending (webhook_id);
      drop table failing_webhooks, webhook_headers;
      alter table webhooks
        drop column disabled_at, drop column ordered, drop column rate_limit,
        drop column description, drop column filter, drop column retry_schedule,
        drop column header_names, drop column headers_version;
    `);
  },
};
