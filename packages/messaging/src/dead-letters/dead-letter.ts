import { insertOutbox } from '@junction/eventsourcing/postgres';
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
 * Stores the letters of these records in one statement, payloads included, and the notices for `<topic>.dlq`, which
 * have none, in another. Returns the letters that were not stored before.
 */
export async function storeDeadLetters(
  tx: pg.ClientBase,
  letters: readonly DeadLetter[],
  bad: readonly BadRecord[],
): Promise<readonly DeadLetter[]> {
  if (letters.length === 0) return [];
  const records = bad.map(({ record }) => record);
  const { rows } = await tx.query<{ id: string }>({
    name: 'junction_dead_letters_insert',
    text: `
      insert into dead_letters (id, consumer, topic, partition, record_offset, key, user_id,
                                reason_code, reason_text, headers, payload, recorded_at)
      select * from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::bigint[], $6::text[],
                           $7::uuid[], $8::text[], $9::text[], $10::jsonb[], $11::bytea[],
                           $12::timestamptz[])
      on conflict (consumer, topic, partition, record_offset, recorded_at) do nothing
      returning id`,
    values: [
      letters.map(({ id }) => id),
      letters.map(({ consumer }) => consumer),
      letters.map(({ topic }) => topic),
      letters.map(({ partition }) => partition),
      letters.map(({ offset }) => offset),
      letters.map(({ key }) => key),
      letters.map(({ userId }) => userId),
      letters.map(({ reason }) => reason.code),
      letters.map(({ reason }) => reason.text),
      records.map(({ headers }) => storedHeaders(headers)),
      records.map(({ value }) => value),
      records.map(({ timestamp }) => storedTime(timestamp)),
    ],
  });
  const stored = new Set(rows.map(({ id }) => id));
  const fresh = letters.filter(({ id }) => stored.has(id));
  await insertOutbox(tx, fresh.map(notice));
  return fresh;
}

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
