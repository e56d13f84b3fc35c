import type { Migration } from '@junction/eventsourcing/postgres';

/** The last attempts of a webhook one by one, and attempts by kind and response. */
export const watchedAttempts: Migration = {
  name: 'webhooks/0010_watched_attempts',

  async up(db) {
    await db.raw(MARKS_AND_RESPONSES);
  },
};

const MARKS_AND_RESPONSES = `
alter table webhook_hours
  -- The newest attempts of the hour, a character for each, oldest first; see src/domain/statistics/marks.ts.
  add column marks        text  not null default '',
  -- Number of attempts by kind and response: {"draft.created 2xx": 3}.
  add column responses    jsonb not null default '{}',
  -- The same by five minutes of the hour, from 0: {"11 draft.created 2xx": 3}.
  add column five_minutes jsonb not null default '{}';
`;
