import type { Migration } from '@junction/eventsourcing-postgres';

export const connectionChecks: Migration = {
  name: 'integrations/0006_connection_checks',

  async up(db) {
    await db.raw(`
      -- When the provider is asked next whether a connection still stands. Beside the credentials, so
      -- that asking often does not rewrite them; gone with them.
      create table connection_checks (
        connection_id text        primary key references credentials on delete cascade,
        provider      text        not null,
        due_at        timestamptz not null,
        -- Somebody has reason to doubt it: asked also where nobody asks regularly.
        doubted       boolean     not null default false
      ) with (fillfactor = 80);
      create index connection_checks_due on connection_checks (provider, due_at);
      create index connection_checks_doubted on connection_checks (due_at) where doubted;

      insert into connection_checks (connection_id, provider, due_at)
      select connection_id, c.provider, now()
        from credentials join connections c using (connection_id);

      -- One replica at a time asks a provider regularly, so that its limit is kept by all together.
      create table sweeps (
        provider    text        primary key,
        owner       uuid        not null,
        lease_until timestamptz not null
      );
    `);
  },

  async down(db) {
    await db.raw('drop table sweeps, connection_checks');
  },
};
