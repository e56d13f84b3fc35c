import { randomUUID } from 'node:crypto';
import { recordedTraceparent } from '@junction/telemetry';
import type pg from 'pg';
import type { Event } from '../../index.js';

/** A future Kafka record: a CloudEvent in binary mode (CloudEvents 1.0, Kafka binding 3.2). */
export interface OutboxMessage {
  readonly topic: string;
  /** Key of the record. Order holds within a key, as far as one stream writes to it. */
  readonly key: string;
  /** ce_type. */
  readonly type: string;
  /** ce_subject: the user that the record is about. */
  readonly subject?: string;
  readonly payload: Buffer;
  /** Further headers; content-type is application/json unless these headers name another. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True: the record gets ce_sequence, the counter of its stream's sequenced records. For the domain topic alone. */
  readonly sequenced: boolean;
}

/** An event that is to be published. Postgres assigns its version later. */
export interface PublishPlace {
  readonly streamId: string;
  /** Id of the event, which becomes the ce_id. */
  readonly eventId: string;
  /** The event's data as it is stored, personal fields sealed. */
  readonly data: object;
}

/** Returns the published records of an event: one, several (each for another topic), or none. */
export type Publish<E extends Event> = (
  event: E,
  at: PublishPlace,
) => OutboxMessage | readonly OutboxMessage[] | undefined;

/** A record without a stream behind it, and so without a counter. */
export type OutboxRecord = Omit<OutboxMessage, 'sequenced'> & {
  readonly sequenced?: false;
  /** ce_source, for instance `junction/auth`. */
  readonly source: string;
  /** ce_id. Choose an id that stays the same when the record is written again. */
  readonly id?: string;
};

/** Returns SQL that formats a moment as ce_time requires (RFC 3339). */
export const rfc3339 = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export interface CloudEventOrigin {
  readonly id: string;
  readonly source: string;
  readonly traceparent?: string | undefined;
}

/** Returns all headers but ce_time and ce_sequence, which the database knows. */
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

/**
 * Returns the JSON of headers without its closing brace: Postgres appends the headers that it knows without parsing the
 * rest.
 */
export const openHeaders = (headers: Readonly<Record<string, string>>): string =>
  JSON.stringify(headers).slice(0, -1);

/** SQL that writes the rows of `o`, which has the fields of `outboxRow` as columns. */
export const INSERT_OUTBOX = `
insert into outbox (aggregatetype, aggregateid, type, headers, payload)
select topic, key, type, (headers || ',"ce_time":"' || ${rfc3339('clock_timestamp()')} || '"}')::json, payload
  from o`;

/** Returns a record as INSERT_OUTBOX takes it. */
export function outboxRow(record: OutboxRecord, traceparent = recordedTraceparent()) {
  const { topic, key, type, payload, source, id = randomUUID() } = record;
  const headers = openHeaders(cloudEventHeaders(record, { source, id, traceparent }));
  return { topic, key, type, headers, payload };
}

const INSERT = `
with o as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[])
                  as o (topic, key, type, headers, payload)
) ${INSERT_OUTBOX}`;

/** Writes records for the relay in the caller's transaction; wake the relay after the commit. */
export async function insertOutbox(
  tx: pg.ClientBase,
  records: readonly OutboxRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const traceparent = recordedTraceparent();
  const rows = records.map((record) => outboxRow(record, traceparent));
  await tx.query({
    name: 'junction_outbox',
    text: INSERT,
    values: [
      rows.map(({ topic }) => topic),
      rows.map(({ key }) => key),
      rows.map(({ type }) => type),
      rows.map(({ headers }) => headers),
      rows.map(({ payload }) => payload),
    ],
  });
}
