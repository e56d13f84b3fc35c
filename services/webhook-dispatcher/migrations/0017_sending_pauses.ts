import { createIndex, type Migration } from '@junction/eventsourcing/postgres';

/** Hosts and users that operators have paused, and the index by which the webhooks of a host are found. */
export const sendingPauses: Migration = {
  name: 'webhooks/0017_sending_pauses',
  inTransaction: false,

  async up(db) {
    await db.raw(PAUSES);
    const host = `substring(href from '^[a-z]+://([^/?#]*)')`;
    await createIndex(db, 'webhooks_host', `webhooks (${host})`);
  },
};

const PAUSES = `
-- Hosts and users to which nothing is sent, because an operator wants it.
create table if not exists sending_pauses (
  host      text        unique,
  user_id   uuid        unique,
  paused_at timestamptz not null default now(),
  check (num_nonnulls(host, user_id) = 1)
)`;
