import type { Migration } from '@junction/eventsourcing-postgres';

/** Column for the metadata that owners keep on their webhooks. */
export const metadata: Migration = {
  name: 'webhooks/0008_metadata',

  async up(db) {
    await db.raw(`
      -- As JSON. Text, for of a deleted user it reads as none in a rebuild.
      alter table webhooks add column metadata text;
    `);
  },
};
