import type { Knex } from 'knex';

export const name = 'auth/0016_account_changes';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Changes that their users were told of, for the 72 hours in which a link takes them back.
    create table account_changes (
      change_id    uuid        primary key,

      -- Changes of a user have the order of their commits: the user's row is locked for each.
      place        bigint      generated always as identity,
      user_id      uuid        not null references users on delete cascade,
      kind         text        not null,
      changed_at   timestamptz not null,

      -- The address before the change, to which the mail went. Nobody else gets it while the change can be taken back.
      email        text        not null,

      -- The key that was made, or got a secret.
      key_id       text,

      -- Sealed with the key ring: the second factors before the change. Null where no mail was sent, so that no link begins here.
      state_sealed bytea,

      -- SHA-256 of the token in the mail; null: it was not sent yet.
      token_hash   bytea       unique check (length(token_hash) = 32)
    );

    create index account_changes_of_user on account_changes (user_id, place);
    create index account_changes_by_email on account_changes (email) where kind = 'email_changed';
    create index account_changes_by_age on account_changes (changed_at);

    -- A mail about a change that was taken back is not sent.
    alter table mails add column change_id uuid references account_changes on delete cascade;
    create index mails_of_change on mails (change_id) where change_id is not null;
  `);
}
