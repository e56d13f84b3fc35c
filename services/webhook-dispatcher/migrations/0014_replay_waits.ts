import type { Migration } from '@junction/eventsourcing/postgres';

/** Replays that wait, because their user has had as many bytes sent as may be. */
export const replayWaits: Migration = {
  name: 'webhooks/0014_replay_waits',

  async up(db) {
    await db.raw('alter table operations add column waits_until timestamptz');
  },
};
