import type { Knex } from 'knex';

export const name = 'auth/0001_users';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table users (
      user_id    uuid        primary key,
      version    integer     not null check (version > 0),
      created_at timestamptz not null,

      -- Two users may register one address at the same moment: this index lets one of them.
      email      text        unique check (email = lower(email) and length(email) <= 254),

      -- Moment when the user proved to read the mails to the address; null: not yet.
      email_verified_at timestamptz,
      role       text        not null default 'user' check (role in ('user', 'operator')),

      -- Trusted issuer whose user it is: the address is not here then, because the issuer keeps it.
      origin     text,
      check ((email is null) = (origin is not null))
    );

    -- Serves the list of users, which operators read page by page.
    create index users_by_age on users (created_at, user_id);

    create table passwords (
      user_id uuid primary key references users on delete cascade,

      -- argon2id in the PHC string format, which carries its own salt and cost.
      hash    text not null check (hash like '$argon2id$%')
    );
  `);
}
