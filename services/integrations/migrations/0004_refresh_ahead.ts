import type { Migration } from '@junction/eventsourcing-postgres';

export const refreshAhead: Migration = {
  name: 'integrations/0004_refresh_ahead',

  async up(db) {
    await db.raw(`
      -- The queue of refreshes ahead of expiry, one for each provider: what hangs at one holds up no other.
      alter table credentials
        add column provider   text,        -- null: by the release before, until its next refresh
        add column refresh_at timestamptz; -- null: there is no refresh token

      -- As for new ones: between a whole and half a margin before the end.
      update credentials k
         set provider = c.provider,
             refresh_at = case when k.refresh_token is not null then
               expires_at - least(interval '15 minutes', (expires_at - issued_at) * 0.25)
                            * (1 - random() / 2) end
        from connections c
       where c.connection_id = k.connection_id;

      create index credentials_due on credentials (provider, refresh_at)
        where refresh_at is not null;
    `);
  },

  async down(db) {
    await db.raw('alter table credentials drop column provider, drop column refresh_at');
  },
};
