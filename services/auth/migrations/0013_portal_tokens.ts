import type { Knex } from 'knex';

export const name = 'auth/0013_portal_tokens';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Tokens that each open, or carry on, the webhook pages in another product's frame. SHA-256 of the token; taking one deletes it.
    create table portal_tokens (
      token_hash      bytea       primary key check (length(token_hash) = 32),
      user_id         uuid        not null references users on delete cascade,

      -- The service that made the link: when it may not any more, nor does this count.
      client_id       text        not null,

      -- Whose page frames the portal.
      origin          text        not null,
      appearance      jsonb       not null,
      expires_at      timestamptz not null,

      -- Null: of a link that nobody has opened yet.
      session_ends_at timestamptz
    );

    create index portal_tokens_by_expiry on portal_tokens (expires_at);
  `);
}
