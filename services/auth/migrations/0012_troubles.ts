import type { Knex } from 'knex';

export const name = 'auth/0012_troubles';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Whether the user wants mails about webhooks and connections that need them.
    alter table users add column trouble_mails boolean not null default true;

    -- The newest that is known of webhooks and connections that need their user, or did until lately.
    create table troubles (
      -- Id of the webhook or the connection.
      about     text        primary key,
      user_id   uuid        not null references users on delete cascade,
      kind      text        not null,

      -- Moment that the newest notice tells of. Notices have no order, and an older one changes nothing.
      at        timestamptz not null,

      -- Number of mails that told of it, and when the last one was queued.
      mails     integer     not null,
      mailed_at timestamptz,

      -- Moment of the next mail; null: there is none to come.
      mail_at   timestamptz
    );

    create index troubles_of_user on troubles (user_id);
    create index troubles_by_next_mail on troubles (mail_at) where mail_at is not null;
  `);
}
