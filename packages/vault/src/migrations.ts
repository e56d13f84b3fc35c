import type { Migration } from '@junction/eventsourcing/postgres';

/** The table of wrapped data keys. A service that seals runs these among its own. */
export const vaultMigrations: readonly Migration[] = [
  {
    name: 'vault/0001_data_keys',

    async up(db) {
      await db.raw(`
        create table data_keys (
          subject      text        primary key check (length(subject) between 1 and 255),

          -- Key of the ring that wrapped the data key; rotation looks for it.
          key_id       text,
          wrapped      bytea,
          created_at   timestamptz not null default now(),
          destroyed_at timestamptz,

          -- A key is there or destroyed, never both and never neither.
          constraint data_keys_live_or_destroyed check (
            (wrapped is null) = (destroyed_at is not null) and (wrapped is null) = (key_id is null)
          )
        )
      `);
    },
  },
];
