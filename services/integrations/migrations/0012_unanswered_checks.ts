import type { Migration } from '@junction/eventsourcing-postgres';

export const unansweredChecks: Migration = {
  name: 'integrations/0012_unanswered_checks',

  async up(db) {
    await db.raw(`
      -- Since when a check has been due that was tried without an answer. Null: the last one was answered.
      alter table connection_checks add column unanswered_since timestamptz;
      create index connection_checks_unanswered on connection_checks (provider, unanswered_since)
        where unanswered_since is not null;
    `);
  },

  async down(db) {
    await db.raw('alter table connection_checks drop column unanswered_since');
  },
};
