import type { Knex } from 'knex';

export const name = 'auth/0008_mail';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- SHA-256 of tokens that links in mails carry. A token counts once, and a newer one of its purpose ends it.
    create table mailed_tokens (
      token_hash bytea       primary key check (length(token_hash) = 32),
      user_id    uuid        not null references users on delete cascade,
      purpose    text        not null check (purpose in ('verify_email', 'change_email', 'reset_password')),
      expires_at timestamptz not null,

      -- The address that the token was sent to.
      email      text        not null,
      unique (user_id, purpose)
    );

    -- Mails to be sent. Mails hold no token: a token is made when its mail is sent.
    create table mails (
      mail_id         text        primary key,
      kind            text        not null,

      -- The address, sealed with the key ring; it need not be a user's.
      address_sealed  bytea       not null,

      -- Null while it is unknown whether the address is a user's.
      user_id         uuid        references users on delete cascade,
      created_at      timestamptz not null,
      next_attempt_at timestamptz not null,

      -- A mail about a change that was taken back is not sent.
      change_id       uuid        references account_changes on delete cascade
    );

    create index mails_by_next_attempt on mails (next_attempt_at);
    create index mails_of_change on mails (change_id) where change_id is not null;
  `);
}
