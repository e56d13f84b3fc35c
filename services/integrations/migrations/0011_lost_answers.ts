import type { Migration } from '@junction/eventsourcing-postgres';

export const lostAnswers: Migration = {
  name: 'integrations/0011_lost_answers',

  async up(db) {
    await db.raw(`
      -- A refresh was sent and its answer never came: the provider may have put another refresh token in
      -- the place of this one.
      alter table credentials add column answer_lost boolean not null default false;
    `);
  },

  async down(db) {
    await db.raw('alter table credentials drop column answer_lost');
  },
};
