import type { Migration } from '@junction/eventsourcing-postgres';

/** Until when open circuits rest, after the first probe that failed too: an event for each would say nothing new. */
export const circuitRests: Migration = {
  name: 'webhooks/0012_circuit_rests',

  async up(db) {
    await db.raw(`
      create table circuit_rests (
        webhook_id text             primary key references webhooks on delete cascade,
        probe_at   timestamptz      not null,
        rest_ms    double precision not null -- of which the next is the double
      );
    `);
  },

  async down(db) {
    await db.raw('drop table circuit_rests');
  },
};
