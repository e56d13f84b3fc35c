import type { Migration } from '@junction/eventsourcing/postgres';

/** Pace of replays, which follows their receivers, and live deliveries that pass them. */
export const replayPace: Migration = {
  name: 'webhooks/0012_replay_pace',

  async up(db) {
    await db.raw(REPLAY_PACE);
  },
};

const REPLAY_PACE = `
alter table operations
  -- Number of its deliveries that may be due at once.
  add column room       smallint not null default 64,
  -- Deliveries that it files in a second, lately.
  add column per_s      real     not null default 0,
  -- Last delivery that is counted; null: none is, or all were when the replay began.
  add column counted_to uuid;

-- Sent by a replay, so that live deliveries of the webhook go before it.
alter table pending add column is_replay boolean not null default false;
create index pending_replayed on pending (webhook_id, next_at) where is_replay;
`;
