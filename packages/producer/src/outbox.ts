import type { EventData } from '@junction/contracts';
import type { NewEvent } from './event-producer.js';
import type { EventTypes } from './event-types.js';
import { prepare } from './prepare.js';

/**
 * The table of the outbox, for a migration of yours (Postgres 13 or newer). Rows may also be inserted by
 * SQL alone: `type`, `user_id` and `data` are enough.
 */
export const OUTBOX_SQL = `create table junction_outbox (
  id bigint generated always as identity primary key,
  event_id text not null default gen_random_uuid()::text,
  type text not null,
  user_id uuid not null,
  data json not null,
  time timestamptz not null default now(),
  refused text
);
comment on column junction_outbox.refused is 'The rule that the event breaks. Such a row is never published, and is yours to delete.';`;

/** A client of `pg`, in a transaction of yours; or anything with the same method. */
export interface OutboxClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/**
 * Writes the event into the outbox: it is published if this transaction commits, and only then. Without
 * an id of your own it gets a new one here. Without `eventTypes` the kinds are the five. @throws
 * InvalidEventError when it breaks a rule of the topic; nothing was written then, and the transaction goes on.
 */
export async function addToOutbox<Own extends object = object>(
  tx: OutboxClient,
  event: NewEvent<EventData & Own>,
  eventTypes?: EventTypes<Own>,
): Promise<{ id: string }> {
  // The relay's producer sets the source. This check needs any valid one.
  const { id, type, userId, data, time } = prepare('outbox', event, eventTypes?.schemas);
  await tx.query(
    `insert into junction_outbox (event_id, type, user_id, data, time)
     values ($1, $2, $3, $4, coalesce($5::timestamptz, now()))`,
    [id, type, userId, data.toString(), time?.toISOString() ?? null],
  );
  return { id };
}
