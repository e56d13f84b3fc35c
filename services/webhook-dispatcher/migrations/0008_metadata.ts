import type { Migration } from '@junction/eventsourcing/postgres';

/** Column for the metadata that owners keep on their webhooks. */
export const metadata: Migration = {
  name: 'webhooks/0008_metadata',

  async up(db) {
    await db.raw(`
      -- Metadata as JSON. The type is text, because a rebuild reads the metadata of a deleted user as no JSON.
      alter table webhooks add column metadata text;
    `);
  },
};
