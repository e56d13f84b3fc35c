import { randomUUID } from 'node:crypto';
import { assistantEventRecord } from '@junction/contracts';
import type { OutRecord, ProducerPort } from '@junction/messaging';
import { nowMs } from '../clock.js';
import { paced, type Rate } from '../paced.js';

/** Bytes of `data`: half a kilobyte. */
export const DATA_BYTES = 512;
export const TOPIC = 'assistant.events.v1';
/** Bytes of a length, and of what stands around a record (Kafka's record batch, version 2). */
const LENGTH_BYTES = 2;
const FRAME_BYTES = 10;
/** Bytes of data in one call: a broker takes 1 MB for a partition. */
const BATCH_BYTES = 1_000 * DATA_BYTES;

export const newUsers = (count: number): readonly string[] =>
  Array.from({ length: count }, () => randomUUID());

function record(userId: string, dataBytes = DATA_BYTES): OutRecord {
  const counts = { total_emails: 47, categorized: { important: 3, meetings: 5, tasks: 2 } };
  const fields = { ...counts, sent_at: Number(nowMs().toFixed(3)), pad: '' };
  const data = { ...fields, pad: 'x'.repeat(dataBytes - JSON.stringify(fields).length) };
  const event = { id: randomUUID(), source: '/bench', type: 'inbox.organized', userId } as const;
  const bytes = Buffer.from(JSON.stringify(data));
  return { topic: TOPIC, ...assistantEventRecord({ ...event, time: new Date(), data: bytes }) };
}

/** Returns the bytes of an event in Kafka, one copy of it: key, value and headers, each with its length. */
export function bytesInKafka(): number {
  const { key, value, headers } = record(randomUUID());
  const parts = [key, value, ...Object.entries(headers).flat()].map((part) => part ?? '');
  return parts.reduce((bytes, part) => bytes + LENGTH_BYTES + Buffer.byteLength(part), FRAME_BYTES);
}

const nextOf = (users: readonly string[], n: number): string => users[n % users.length] ?? '';

/** Returns a record that breaks a rule of the topic: its data is not JSON. */
const invalid = (userId: string): OutRecord => ({ ...record(userId), value: Buffer.from('{') });

/** The events that are in the topic when the dispatcher starts. */
export interface Load {
  readonly users: readonly string[];
  /** Deliveries to be made; each has one event, of one of the users in turn. */
  readonly deliveries: number;
  /** Number of events after each of which one invalid record is sent; absent: none is sent. */
  readonly invalidEvery?: number;
  /** Bytes of each event's data; absent: DATA_BYTES. */
  readonly dataBytes?: number;
}

/** Writes these events as fast as Kafka takes them. */
export async function fill(producer: ProducerPort, load: Load): Promise<void> {
  const { users, deliveries, dataBytes = DATA_BYTES } = load;
  const { invalidEvery = Number.POSITIVE_INFINITY } = load;
  const batch = Math.floor(BATCH_BYTES / dataBytes);
  for (let done = 0; done < deliveries; done += batch) {
    const records = Array.from({ length: Math.min(batch, deliveries - done) }, (_, n) => {
      const userId = nextOf(users, done + n);
      const valid = record(userId, dataBytes);
      return (n + 1) % invalidEvery === 0 ? [valid, invalid(userId)] : [valid];
    });
    await producer.sendBatch(records.flat());
  }
}

/** Writes events at a steady rate, each in a call of its own; gives how many. */
export async function trickle(
  producer: ProducerPort,
  users: readonly string[],
  rate: Rate,
  signal: AbortSignal,
): Promise<number> {
  const send = (n: number) => producer.sendBatch([record(nextOf(users, n))]);
  return (await paced(send, rate, signal)).length;
}
