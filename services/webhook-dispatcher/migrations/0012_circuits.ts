import type { Migration } from '@junction/eventsourcing-postgres';

/** Circuits that are open or half open, so that they outlive the replica that opened them. */
export const circuits: Migration = {
  name: 'webhooks/0012_circuits',

  async up(db) {
    await db.raw(`
      create table circuits (
        webhook_id text             primary key references webhooks on delete cascade,
        opened_at  timestamptz      not null,
        probe_at   timestamptz      not null, -- when the next probe is due; half open from then on
        rest_ms    double precision not null check (rest_ms > 0) -- of which the next is the double
      );
    `);
  },

  async down(db) {
    await db.raw('drop table circuits');
  },
};
