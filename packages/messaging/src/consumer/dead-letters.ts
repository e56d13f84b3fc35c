import { insertOutbox } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { InboundRecord } from '../kafka/kafka-port.js';
import { deadLetterTopic } from '../topics.js';
import { keyOf } from './gate.js';
import { storedText } from './stored-text.js';

/** A record that was set aside, and why. Its payload stays in the table `dead_letters`. */
export interface DeadLetter {
  readonly id: string;
  readonly consumer: string;
  /** Without the prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | undefined;
  readonly userId: string | undefined;
  readonly reason: { readonly code: string; readonly text: string };
  /** It holds back, or waits behind, others of its key until it is redriven or dropped. */
  readonly parked: boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function deadLetter(
  consumer: string,
  topic: string,
  record: InboundRecord,
  reason: DeadLetter['reason'],
  parked: boolean,
): DeadLetter {
  const subject = record.headers['ce_subject'] ?? '';
  return {
    id: uuidv7(),
    consumer,
    topic,
    partition: record.partition,
    offset: record.offset,
    key: keyOf(record),
    userId: UUID.test(subject) ? subject.toLowerCase() : undefined,
    reason: { code: reason.code, text: storedText(reason.text) },
    parked,
  };
}

/** The row with the payload, and the notice on `<topic>.dlq`, which has none. */
export async function storeDeadLetter(
  tx: pg.ClientBase,
  letter: DeadLetter,
  { headers, value, timestamp }: InboundRecord,
): Promise<void> {
  const { id, consumer, topic, partition, offset, key, userId, reason, parked } = letter;
  await tx.query(
    `insert into dead_letters (id, consumer, topic, partition, record_offset, key, headers, payload,
                               recorded_at, reason_code, reason_text, user_id, parked)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      id,
      consumer,
      topic,
      partition,
      offset,
      key,
      storedHeaders(headers),
      value,
      timestamp,
      reason.code,
      reason.text,
      userId,
      parked,
    ],
  );
  const notice = { id, consumer, topic, partition, offset: String(offset), reason, parked };
  await insertOutbox(tx, [
    {
      topic: deadLetterTopic(topic),
      key: key ?? id,
      type: 'dead_letter.recorded',
      ...(userId === undefined ? {} : { subject: userId }),
      payload: Buffer.from(JSON.stringify(notice)),
      source: `junction/${consumer}`,
      id,
    },
  ]);
}

const storedHeaders = (headers: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [storedText(name), storedText(value)]),
    ),
  );
