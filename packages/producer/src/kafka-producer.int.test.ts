import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { assistantEventRecord, messageId, validateAssistantEvent } from '@junction/contracts';
import type { InboundRecord } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { useAssistantEvents } from '../test/assistant-events.js';
import type { EventProducer } from './event-producer.js';
import { kafkaProducer } from './kafka-producer.js';

const { brokers, prefix, kafka, topic, seen } = useAssistantEvents(1);

const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';
const data = Buffer.from('{ "total": 1.0 }');

describe('an event published to Kafka', () => {
  it('is there when publish answers, as a record that keeps every rule', async () => {
    const time = new Date('2026-01-02T03:04:05.678Z');
    const event = { id: 'draft-17', type: 'draft.created' as const, userId: USER, data, time };
    const published = await producer.publish(event);
    const after = await endOfLog();

    expect(published).toEqual({ messageId: messageId('assistant', 'draft-17', USER) });
    expect(after).toBe(before + 1n);
    const record = await nextRecord();
    expect(record.headers).toEqual(assistantEventRecord({ ...event, source: 'assistant' }).headers);
    expect(validateAssistantEvent(record)).toEqual({
      ok: true,
      event: { ...published, ...event, source: 'assistant' },
    });
  });

  it('takes its time from Kafka when it names none', async () => {
    const earliest = Date.now();
    await producer.publish({ type: 'draft.created', userId: USER, data });

    const record = await nextRecord();
    expect(record.headers).not.toHaveProperty('ce_time');
    expect(record.timestamp.getTime()).toBeGreaterThanOrEqual(earliest);
  });

  it('never leaves when it breaks a rule', async () => {
    await expect(
      producer.publish({
        type: 'inbox.organized',
        userId: USER,
        data: Buffer.from('{ "total_emails": 1 }'),
      }),
    ).rejects.toMatchObject({ name: 'InvalidEventError', code: 'data_invalid' });
    await expect(endOfLog()).resolves.toBe(before);
  });

  it('fails when Kafka cannot be reached', async () => {
    const nowhere = await kafkaProducer({ brokers: ['127.0.0.1:1'], source: 'assistant' });
    try {
      await expect(nowhere.publish({ type: 'draft.created', userId: USER, data })).rejects.toThrow(
        /^Kafka at 127\.0\.0\.1:1 did not take the event \(.*ECONNREFUSED.*publish it again/,
      );
    } finally {
      await nowhere.close();
    }
  });
});

let producer: EventProducer;
let before: bigint;

beforeAll(async () => {
  producer = await kafkaProducer({ brokers, source: 'assistant', topicPrefix: prefix });
});

beforeEach(async () => {
  before = await endOfLog();
});

afterAll(async () => {
  await producer.close();
});

async function endOfLog(): Promise<bigint> {
  const bounds = await kafka.admin().logBounds(topic);
  return bounds.get(0)?.high ?? -1n;
}

/** The record that the running test wrote. */
function nextRecord(): Promise<InboundRecord> {
  return eventually(
    () => {
      const record = seen.find(({ offset }) => offset === before);
      if (record === undefined) throw new Error('The record was not read in time.');
      return record;
    },
    { deadlineMs: 45_000 },
  );
}
