import type { Knex } from 'knex';

export const name = 'auth/0016_closed_accounts';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Moment when the user deleted the account, which links bring back for 72 hours more; null: it is open.
    alter table users add column closed_at timestamptz;
    create index users_closed on users (closed_at) where closed_at is not null;

    -- Moment until which links to the change count: a deletion of the account gives them 72 hours more; null: 72 hours
    -- after the change.
    alter table account_changes add column counts_until timestamptz;

    -- Tokens of mails about a change, of which there may be several: each address that could have an account back is
    -- told of its deletion, with a link of its own.
    create table change_links (
      mail_id    text  primary key,
      change_id  uuid  not null references account_changes on delete cascade,

      -- SHA-256 of the token.
      token_hash bytea not null unique check (length(token_hash) = 32)
    );

    create index change_links_of_change on change_links (change_id);

    alter table deletion_receipts
      -- Moment until which the account can be brought back; null: it cannot.
      add column open_until timestamptz,

      -- Number of things that each service has ended when the account was closed, by its name.
      add column ended      jsonb not null default '{}';
  `);
}
