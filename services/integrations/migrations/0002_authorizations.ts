import type { Migration } from '@junction/eventsourcing/postgres';

export const authorizations: Migration = {
  name: 'integrations/0002_authorizations',

  async up(db) {
    await db.raw(`
      -- Authorization URLs that were handed out. A code is exchanged once, and the connect then deletes the row.
      -- A connect whose row is gone was ended by its user meanwhile.
      create table pending_authorizations (
        state_hash        bytea       primary key, -- SHA-256; the state itself is the user's alone
        user_id           uuid        not null,
        identity_provider text        not null,
        provider          text        not null,
        redirect_uri      text        not null,
        return_to         text,                    -- where its answer is forwarded to; null: nowhere
        sealed            bytea       not null,    -- PKCE verifier and nonce
        position          bigint      not null generated always as identity, -- which is the newest
        created_at        timestamptz not null default now(),
        expires_at        timestamptz not null,
        consumed_at       timestamptz              -- its code is being exchanged, or was refused
      );
      create index pending_authorizations_newest
        on pending_authorizations (user_id, provider, position desc);
      create index pending_authorizations_by_expiry on pending_authorizations (expires_at);

      -- A code goes to the provider once at most: RFC 6749, section 4.1.2, lets a provider revoke
      -- every token of a code that comes twice.
      create table used_codes (
        code_hash bytea       primary key,
        user_id   uuid        not null,
        used_at   timestamptz not null default now()
      );
      create index used_codes_by_age on used_codes (used_at);
      create index used_codes_of_user on used_codes (user_id, used_at);
    `);
  },
};
