import type { Knex } from 'knex';

export const name = 'auth/0018_webhooks';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Live webhooks of users who have an address here, as webhooks.events.v1 tells of them. A reset shows them before
    -- it has them disabled.
    create table webhooks (
      webhook_id text        primary key,
      user_id    uuid        not null references users on delete cascade,
      events     text[]      not null,
      made_at    timestamptz not null,

      -- Moment of the last change that its owner was mailed about, or of its making.
      changed_at timestamptz not null
    );

    create index webhooks_of_user on webhooks (user_id, made_at);

    -- The webhook that was made or changed, and what of it; null for a change of the account itself.
    alter table account_changes add column webhook_id text;
    alter table account_changes add column traits text[];

    -- Moment of the mail that tells of this change of a webhook and of later ones; null: an earlier mail does.
    alter table account_changes add column mail_at timestamptz;

    create index account_changes_with_mails on account_changes (user_id, place) where mail_at is not null;
  `);
}
