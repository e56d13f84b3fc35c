import type { Knex } from 'knex';

export const name = 'auth/0011_portal_tokens';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- SHA-256 of the tokens that open, or carry on, the webhook pages in the frame of another product. Taking a
    -- token deletes it.
    create table portal_tokens (
      token_hash      bytea       primary key check (length(token_hash) = 32),
      user_id         uuid        not null references users on delete cascade,

      -- Service that made the link; the token counts as long as the service may make links.
      client_id       text        not null,

      -- Origin of the page that frames the portal.
      origin          text        not null,
      appearance      jsonb       not null,
      expires_at      timestamptz not null,

      -- Null while nobody has opened the link.
      session_ends_at timestamptz
    );

    create index portal_tokens_by_expiry on portal_tokens (expires_at);
  `);
}
