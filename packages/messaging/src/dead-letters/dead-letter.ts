import {
  bigints,
  byteas,
  INSERT_OUTBOX,
  ints,
  outboxRow,
  statement,
  texts,
  timestamps,
  uuids,
} from '@junction/eventsourcing/postgres';
import { deadLetterTopic, type InboundRecord } from '@junction/kafka';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { keyOf } from '../consumer/duplicates.js';
import { TRIES_MAX } from '../consumer/handle.js';
import { RecordError } from '../consumer/record-error.js';
import { storedText } from './stored-text.js';

export interface Reason {
  readonly code: string;
  readonly text: string;
}

/** A record that cannot be handled. */
export interface BadRecord {
  readonly record: InboundRecord;
  readonly reason: Reason;
}

/** A record that was set aside, and why. Its payload stays in the table `dead_letters`. */
export interface DeadLetter {
  readonly id: string;
  readonly consumer: string;
  /** Topic without the prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | undefined;
  readonly userId: string | undefined;
  readonly reason: Reason;
}

/** Range of times that Postgres and Date write alike. */
const [EARLIEST, LATEST] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function deadLetter(
  consumer: string,
  topic: string,
  { record, reason }: BadRecord,
): DeadLetter {
  // A CloudEvent in structured mode has its subject in the value alone; its key is its user.
  const subject = record.headers['ce_subject'] ?? record.key ?? '';
  return {
    id: uuidv7(),
    consumer,
    topic,
    partition: record.partition,
    offset: record.offset,
    key: keyOf(record),
    userId: UUID.test(subject) ? subject.toLowerCase() : undefined,
    reason: { code: reason.code, text: storedText(reason.text) },
  };
}

/**
 * Returns the reason of a dead letter. Only a RecordError's message was written to be kept; that of another error may
 * quote the record.
 */
export function reasonOf(error: unknown): Reason {
  if (error instanceof RecordError) return { code: error.code, text: error.message };
  const { name, code } = error instanceof Error ? (error as Error & { code?: unknown }) : NO_ERROR;
  const detail = typeof code === 'string' ? `${name} ${code}` : name;
  return { code: 'handler_failed', text: `Handling it failed ${TRIES_MAX} times with ${detail}.` };
}

const NO_ERROR = { name: 'a value that is no Error', code: undefined };

/**
 * Stores the letters of these records, payloads included, and the notices for `<topic>.dlq`, which have none, in one
 * statement. Returns the letters that were not stored before.
 */
export async function storeDeadLetters(
  tx: pg.ClientBase,
  letters: readonly DeadLetter[],
  bad: readonly BadRecord[],
): Promise<readonly DeadLetter[]> {
  if (letters.length === 0) return [];
  const records = bad.map(({ record }) => record);
  const notices = letters.map((letter) => outboxRow(notice(letter)));
  const { rows } = await insert(tx, {
    ids: uuids(letters.map(({ id }) => id)),
    consumers: texts(letters.map(({ consumer }) => consumer)),
    topics: texts(letters.map(({ topic }) => topic)),
    partitions: ints(letters.map(({ partition }) => partition)),
    offsets: bigints(letters.map(({ offset }) => String(offset))),
    keys: texts(letters.map(({ key }) => key ?? null)),
    user_ids: uuids(letters.map(({ userId }) => userId ?? null)),
    codes: texts(letters.map(({ reason }) => reason.code)),
    reasons: texts(letters.map(({ reason }) => reason.text)),
    headers: texts(records.map(({ headers }) => storedHeaders(headers))),
    payloads: byteas(records.map(({ value }) => value)),
    times: timestamps(records.map(({ timestamp }) => storedTime(timestamp))),
    notice_topics: texts(notices.map(({ topic }) => topic)),
    notice_keys: texts(notices.map(({ key }) => key)),
    notice_types: texts(notices.map(({ type }) => type)),
    notice_headers: texts(notices.map(({ headers }) => headers)),
    notice_payloads: byteas(notices.map(({ payload }) => payload)),
  });
  const stored = new Set(rows.map(({ id }) => id));
  return letters.filter(({ id }) => stored.has(id));
}

// Ids are UUIDv7s, whose order is that of the records.
const insert = statement<{ readonly id: string }>(
  `
with letter as (
  insert into dead_letters (id, consumer, topic, partition, record_offset, key, user_id,
                            reason_code, reason_text, headers, payload, recorded_at)
  select id, consumer, topic, partition, record_offset, key, user_id, code, reason, headers::jsonb, payload, at
    from unnest(:ids::uuid[], :consumers::text[], :topics::text[], :partitions::int[], :offsets::bigint[],
                :keys::text[], :user_ids::uuid[], :codes::text[], :reasons::text[], :headers::text[],
                :payloads::bytea[], :times::timestamptz[])
      as r (id, consumer, topic, partition, record_offset, key, user_id, code, reason, headers, payload, at)
  on conflict (consumer, topic, partition, record_offset, recorded_at) do nothing
  returning id
), o as (
  select * from unnest(:ids::uuid[], :notice_topics::text[], :notice_keys::text[], :notice_types::text[],
                       :notice_headers::text[], :notice_payloads::bytea[])
             as n (id, topic, key, type, headers, payload)
   where id in (select id from letter)
   order by id
), noticed as (${INSERT_OUTBOX})
select id from letter`,
  'junction_dead_letters_insert',
);

const notice = ({ id, consumer, topic, partition, offset, key, userId, reason }: DeadLetter) => ({
  topic: deadLetterTopic(topic),
  key: key ?? id,
  type: 'dead_letter.recorded',
  ...(userId === undefined ? {} : { subject: userId }),
  payload: Buffer.from(
    JSON.stringify({ id, consumer, topic, partition, offset: String(offset), reason }),
  ),
  source: `junction/${consumer}`,
  id,
});

/**
 * Returns a record's time as stored. A broker takes any number for a timestamp; a number that is no time becomes 1970,
 * always the same.
 */
const storedTime = (timestamp: Date): Date =>
  timestamp >= EARLIEST && timestamp <= LATEST ? timestamp : new Date(0);

const storedHeaders = (headers: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [storedText(name), storedText(value)]),
    ),
  );
