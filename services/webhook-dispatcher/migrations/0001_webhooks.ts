import type { Migration } from '@junction/eventsourcing-postgres';

/** The read model of webhooks, written in the transaction of the event, and the sealed secrets. */
export const webhooks: Migration = {
  name: 'webhooks/0001_webhooks',

  async up(db) {
    await db.raw(`
      create table webhooks (
        webhook_id        text        primary key,
        user_id           uuid        not null,
        url               text        not null,
        href              text        not null,
        events            text[]      not null,
        status            text        not null check (status in ('active', 'paused', 'disabled')),
        disabled_reason   text        check (disabled_reason in ('user', 'gone_410', 'failing')),
        paused            boolean     not null,
        has_secret        boolean     not null,
        secret_version    integer     not null,
        version           integer     not null,
        created_at        timestamptz not null,
        updated_at        timestamptz not null,

        check ((status = 'disabled') = (disabled_reason is not null)),
        -- Two requests that configure the same url at once make one webhook: this key decides.
        unique (user_id, href)
      );

      -- Newest secret first; more than one only while a rotation lasts. Sealed with the user's key.
      create table webhook_secrets (
        webhook_id text        not null references webhooks on delete cascade,
        version    integer     not null,
        sealed     bytea       not null,
        expires_at timestamptz,
        created_at timestamptz not null default now(),
        primary key (webhook_id, version)
      );

      -- One row, moved by every change of a webhook, so that a replica sees that its copy is old.
      create table webhook_index (
        only_row boolean primary key default true check (only_row),
        version  bigint  not null
      );
      insert into webhook_index (version) values (0);

      create function bump_webhook_index() returns trigger language plpgsql as $$
      begin
        update webhook_index set version = version + 1;
        return null;
      end $$;

      -- Deferred to the commit: the one row everyone needs is locked last and for the shortest time.
      create constraint trigger webhooks_bump_index after insert or update or delete on webhooks
        deferrable initially deferred for each row execute function bump_webhook_index();
    `);
  },

  async down(db) {
    await db.raw(`
      drop table webhook_secrets, webhooks, webhook_index;
      drop function bump_webhook_index;
    `);
  },
};
