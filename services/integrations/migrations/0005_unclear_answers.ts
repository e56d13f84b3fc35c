import type { Migration } from '@junction/eventsourcing/postgres';

export const unclearAnswers: Migration = {
  name: 'integrations/0005_unclear_answers',

  async up(db) {
    await db.raw(`
      -- Moment when the provider first left open, since the last refresh that worked, whether the grant still
      -- stands. After three days of such answers the connection ends.
      alter table credentials add column unclear_since timestamptz;
    `);
  },
};
