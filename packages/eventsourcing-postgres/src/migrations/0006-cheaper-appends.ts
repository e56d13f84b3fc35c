import type { Migration } from '../migrate.js';

export const cheaperAppends: Migration = {
  name: 'eventsourcing/0006_cheaper_appends',

  async up(db) {
    await db.raw(LESS_TO_CHECK);
    await db.raw(VIRTUAL_LANE);
  },

  async down(db) {
    await db.raw(`
      drop index outbox_by_lane;
      alter table outbox drop column lane;
      alter table outbox add column lane smallint not null
        generated always as ((hashtext(aggregateid) & 15)::smallint) stored;
      create index outbox_by_lane on outbox (lane, id);

      alter table events
        add constraint events_version_check check (version > 0),
        add constraint events_schema_version_check check (schema_version > 0);
      alter table streams
        add constraint streams_version_check check (version > 0),
        add constraint streams_published_check check (published >= 0);
    `);
  },
};

// Postgres reads and plans each check again for every statement. Appends alone write these tables: they
// add to what they find, from zero, and verifyStreams looks for versions that do not begin with 1.
const LESS_TO_CHECK = `
alter table streams drop constraint streams_version_check, drop constraint streams_published_check;
alter table events drop constraint events_version_check, drop constraint events_schema_version_check;
`;

// The same for the expression of a stored column; one that is computed when it is read costs an insert
// only its entry in the index. Who names the column in a query finds the index by its expression.
const VIRTUAL_LANE = `
alter table outbox drop column lane;
alter table outbox add column lane smallint
  generated always as ((hashtext(aggregateid) & 15)::smallint) virtual;
create index outbox_by_lane on outbox (((hashtext(aggregateid) & 15)::smallint), id);
`;
