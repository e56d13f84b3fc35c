import { randomUUID } from 'node:crypto';
import { assistantEventRecord } from '@junction/contracts';
import type { OutRecord, ProducerPort } from '@junction/messaging';
import { nowMs } from '../clock.js';
import { paced, type Rate } from '../paced.js';

/** Bytes of `data`: half a kilobyte. */
export const DATA_BYTES = 512;
export const TOPIC = 'assistant.events.v1';
const BATCH = 1_000;

export const newUsers = (count: number): readonly string[] =>
  Array.from({ length: count }, () => randomUUID());

function record(userId: string): OutRecord {
  const counts = { total_emails: 47, categorized: { important: 3, meetings: 5, tasks: 2 } };
  const fields = { ...counts, sent_at: Number(nowMs().toFixed(3)), pad: '' };
  const data = { ...fields, pad: 'x'.repeat(DATA_BYTES - JSON.stringify(fields).length) };
  const event = { id: randomUUID(), source: '/bench', type: 'inbox.organized', userId } as const;
  const bytes = Buffer.from(JSON.stringify(data));
  return { topic: TOPIC, ...assistantEventRecord({ ...event, time: new Date(), data: bytes }) };
}

const nextOf = (users: readonly string[], n: number): string => users[n % users.length] ?? '';

/** Returns a record that breaks a rule of the topic: its data is not JSON. */
const invalid = (userId: string): OutRecord => ({ ...record(userId), value: Buffer.from('{') });

/**
 * Writes so many events of these users in turn, as fast as Kafka takes them.
 *
 * @param invalidEvery after how many events one invalid record is sent; absent: never
 */
export async function fill(
  producer: ProducerPort,
  users: readonly string[],
  count: number,
  invalidEvery = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let done = 0; done < count; done += BATCH) {
    const records = Array.from({ length: Math.min(BATCH, count - done) }, (_, n) => {
      const userId = nextOf(users, done + n);
      return (n + 1) % invalidEvery === 0 ? [record(userId), invalid(userId)] : [record(userId)];
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
