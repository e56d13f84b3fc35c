import { randomUUID } from 'node:crypto';
import type { Event } from '@junction/eventsourcing';
import { recordedTraceparent } from '@junction/telemetry';
import type pg from 'pg';

/** One Kafka record to be: a CloudEvent in binary mode (CloudEvents 1.0, Kafka binding 3.2). */
export interface OutboxMessage {
  readonly topic: string;
  /** The record's key. Order holds within a key, as far as one stream writes to it. */
  readonly key: string;
  /** ce_type. */
  readonly type: string;
  /** ce_subject: the user it is about. */
  readonly subject?: string;
  readonly payload: Buffer;
  /** Further headers; content-type is application/json unless it is among them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets ce_sequence, the counter of its stream's sequenced records. For the domain topic alone. */
  readonly sequenced: boolean;
}

/** Where the event stands that is to be published. Its version is handed out later, by Postgres. */
export interface PublishPlace {
  readonly streamId: string;
  /** Will be the ce_id. */
  readonly eventId: string;
  /** The event's data as it is stored, personal fields sealed. */
  readonly data: object;
}

/** What the world hears of an event: one record, several (each for another topic), or none. */
export type Publish<E extends Event> = (
  event: E,
  at: PublishPlace,
) => OutboxMessage | readonly OutboxMessage[] | undefined;

/** A record that no stream stands behind, and so no counter. */
export type OutboxRecord = Omit<OutboxMessage, 'sequenced'> & {
  readonly sequenced?: false;
  /** ce_source, for instance `junction/auth`. */
  readonly source: string;
  /** ce_id. Give one that stays the same when the record is written again. */
  readonly id?: string;
};

/** SQL for a moment in time as ce_time wants it (RFC 3339). */
export const rfc3339 = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export interface CloudEventOrigin {
  readonly id: string;
  readonly source: string;
  readonly traceparent?: string | undefined;
}

/** All headers but ce_time and ce_sequence, which the database knows. */
export const cloudEventHeaders = (
  { type, subject, headers }: Omit<OutboxMessage, 'sequenced'>,
  { id, source, traceparent }: CloudEventOrigin,
): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  ...(traceparent === undefined ? {} : { traceparent }),
  ...headers,
  ce_specversion: '1.0',
  ce_id: id,
  ce_source: source,
  ce_type: type,
  ...(subject === undefined ? {} : { ce_subject: subject }),
});

/** The JSON of headers without its end: Postgres adds what it knows, and nobody reads the rest again. */
export const openHeaders = (headers: Readonly<Record<string, string>>): string =>
  JSON.stringify(headers).slice(0, -1);

const INSERT = `
insert into outbox (aggregatetype, aggregateid, type, headers, payload)
select topic, key, type, (headers || ',"ce_time":"' || ${rfc3339('clock_timestamp()')} || '"}')::json, payload
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[])
    as o (topic, key, type, headers, payload)`;

/** Writes records for the relay in the caller's transaction; wake the relay after its commit. */
export async function insertOutbox(
  tx: pg.ClientBase,
  records: readonly OutboxRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const traceparent = recordedTraceparent();
  const headers = records.map((record) => {
    const { source, id = randomUUID() } = record;
    return openHeaders(cloudEventHeaders(record, { source, id, traceparent }));
  });
  await tx.query({
    name: 'junction_outbox',
    text: INSERT,
    values: [
      records.map(({ topic }) => topic),
      records.map(({ key }) => key),
      records.map(({ type }) => type),
      headers,
      records.map(({ payload }) => payload),
    ],
  });
}
