// Events of assistants as a producer writes them.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { assistantEventRecord } from '../../packages/contracts/dist/index.js';
import { nowMs } from './world.mjs';

/** Bytes of `data`: half a kilobyte. */
export const DATA_BYTES = 512;
const TOPIC = 'assistant.events.v1';
const BATCH = 1_000;
const TICK_MS = 5;

export const newUsers = (count) => Array.from({ length: count }, () => randomUUID());

function record(userId) {
  const fields = { total_emails: 47, categorized: { important: 3, meetings: 5, tasks: 2 } };
  const data = { ...fields, sent_at: nowMs().toFixed(3), pad: '' };
  data.sent_at = Number(data.sent_at);
  data.pad = 'x'.repeat(DATA_BYTES - JSON.stringify(data).length);
  const event = { id: randomUUID(), source: '/bench', type: 'inbox.organized', userId };
  return {
    topic: TOPIC,
    ...assistantEventRecord({
      ...event,
      time: new Date(),
      data: Buffer.from(JSON.stringify(data)),
    }),
  };
}

/** Writes so many events of these users in turn, as fast as Kafka takes them. */
export async function fill(producer, users, count) {
  for (let done = 0; done < count; done += BATCH) {
    const records = Array.from({ length: Math.min(BATCH, count - done) }, (_, n) =>
      record(users[(done + n) % users.length]),
    );
    await producer.sendBatch(records);
  }
}

/** Writes `rate` events a second, each in a call of its own, for so long; gives how many. */
export async function trickle(producer, users, rate, seconds) {
  const beganMs = nowMs();
  const total = rate * seconds;
  const sending = [];
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((nowMs() - beganMs) / 1_000) * rate) + 1);
    for (; sent < due; sent++)
      sending.push(producer.sendBatch([record(users[sent % users.length])]));
    await sleep(TICK_MS);
  }
  await Promise.all(sending);
  return total;
}
