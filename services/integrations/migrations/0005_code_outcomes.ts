import type { Migration } from '@junction/eventsourcing/postgres';

export const codeOutcomes: Migration = {
  name: 'integrations/0005_code_outcomes',

  async up(db) {
    await db.raw(`
      -- How a connect by a code ended, for a minute in which its user may send the code again. Null: it goes on, or its
      -- replica is gone.
      alter table used_codes
        add column ended_at timestamptz,
        add column outcome  jsonb;
    `);
  },
};
