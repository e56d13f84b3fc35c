import type { Migration } from '@junction/eventsourcing-postgres';

export const refreshTokenIndex: Migration = {
  name: 'integrations/0010_refresh_token_index',

  async up(db) {
    await db.raw(`
      -- Security events may name a refresh token by a hash, or by how it begins. Both are SHA-512 of
      -- SHA-512. null: written by the release before, until its next refresh.
      alter table credentials
        add column refresh_token_hash  bytea,
        add column refresh_prefix_hash bytea; -- null also: too short a token

      create index credentials_by_token on credentials (refresh_token_hash);
      create index credentials_by_prefix on credentials (refresh_prefix_hash);
    `);
  },

  async down(db) {
    await db.raw(
      'alter table credentials drop column refresh_token_hash, drop column refresh_prefix_hash',
    );
  },
};
