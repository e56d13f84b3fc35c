import type { Migration } from '@junction/eventsourcing-postgres';

/**
 * What came back of an attempt is one value, sealed once. What is filed in two cannot be joined without
 * the keys of its users, and goes.
 */
export const answers: Migration = {
  name: 'webhooks/0009_answers',

  async up(db) {
    await db.raw(`
      alter table attempts drop column headers, drop column sample,
                           add column answer bytea; -- headers, an empty line, the body's beginning
    `);
  },

  async down(db) {
    await db.raw(`
      alter table attempts drop column answer,
                           add column headers bytea, add column sample bytea;
    `);
  },
};
