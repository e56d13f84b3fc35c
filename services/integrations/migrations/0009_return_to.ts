import type { Migration } from '@junction/eventsourcing-postgres';

export const returnTo: Migration = {
  name: 'integrations/0009_return_to',

  async up(db) {
    await db.raw(`
      -- Where its answer is forwarded to; null: whoever began it fetches the code from our page.
      alter table pending_authorizations add column return_to text;
    `);
  },

  async down(db) {
    await db.raw('alter table pending_authorizations drop column return_to');
  },
};
