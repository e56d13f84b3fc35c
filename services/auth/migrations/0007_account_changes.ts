import type { Knex } from 'knex';

export const name = 'auth/0007_account_changes';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Changes that were mailed to their users, for the 72 hours in which a link takes them back.
    create table account_changes (
      change_id    uuid        primary key,

      -- Changes of a user have the order of their commits: the user's row is locked for each.
      place        bigint      generated always as identity,
      user_id      uuid        not null references users on delete cascade,
      kind         text        not null,
      changed_at   timestamptz not null,

      -- The address before the change, to which the mail went. No other user gets it while the change can be undone.
      email        text        not null,

      -- API key that the change made or rotated.
      key_id       text,

      -- Second factors before the change, sealed with the key ring. Null where no mail was sent, so that no
      -- link begins here.
      state_sealed bytea,

      -- SHA-256 of the token in the mail; null: the mail was not sent yet.
      token_hash   bytea       unique check (length(token_hash) = 32)
    );

    create index account_changes_of_user on account_changes (user_id, place);
    create index account_changes_by_email on account_changes (email) where kind = 'email_changed';
    create index account_changes_by_age on account_changes (changed_at);
  `);
}
