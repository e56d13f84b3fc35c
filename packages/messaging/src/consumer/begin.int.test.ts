import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { InboundRecord } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { numbers, text, useConsumerStage } from '../../test/consumer-stage.js';

const stage = useConsumerStage();
const { database, start, newTopic, send, effects, deadLetters, storedOffset, refuseBad } = stage;

describe('a consumer that begins with records before they are handled', () => {
  it('handles each when it is ready, in the order of the log, with its offset', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const work = heldWork();
    await send(topic, numbers(1, 4));
    const consumer = await start({ topics: [topic], group, begin: work.begin });
    await eventually(() => expect(work.begun()).toEqual(numbers(1, 4)));

    work.end('2', '4');
    await send(topic, ['5']);
    await eventually(() => expect(work.begun()).toEqual(numbers(1, 5)));
    expect(await effects(topic)).toEqual([]);
    expect(consumer.caughtUp()).toBe(false);

    work.end('1');
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '2']));
    expect(await storedOffset(group)).toBe('2');
    work.end('3', '5');
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(1, 5)));
    expect(await storedOffset(group)).toBe('5');
    await eventually(() => expect(consumer.caughtUp()).toBe(true));
  });

  it('waits with its stop for what is under way', async () => {
    const topic = await newTopic();
    const work = heldWork();
    await send(topic, ['1']);
    const consumer = await start({ topics: [topic], begin: work.begin });
    await eventually(() => expect(work.begun()).toEqual(['1']));
    const stopped = consumer.stop();
    work.end('1');
    await stopped;
    expect(await effects(topic)).toEqual(['1']);
  });

  it('sets aside a record that cannot be handled, and handles those beside it', async () => {
    const topic = await newTopic();
    const abandoned: string[] = [];
    await send(topic, ['1', 'bad', '3', 'worse']);
    await start({
      topics: [topic],
      begin: async (records) =>
        records.map((record) => {
          return { ...atOnce(record), abandon: () => void abandoned.push(text(record)) };
        }),
      async handle(records, tx) {
        if (records.some((record) => text(record) === 'worse')) throw new Error('never works');
        return refuseBad(records, tx);
      },
    });
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '3']));
    await eventually(async () =>
      expect(await deadLetters(topic)).toEqual(['refused', 'handler_failed']),
    );
    expect(abandoned).toEqual(['bad', 'worse']);
  });

  it('begins anew with what could not begin, and not with what could not be handled', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const begun: string[] = [];
    let failures = 0;
    const fail = () => {
      failures++;
      throw Object.assign(new Error('away'), { code: '57P03' });
    };
    await send(topic, ['1', '2']);
    await start({
      topics: [topic],
      group,
      begin: async (records) => {
        if (failures === 0) fail();
        begun.push(...records.map(text));
        return records.map(atOnce);
      },
      handle: async (records, tx) => {
        if (failures < 3) fail();
        await stage.store(records, tx);
      },
    });
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '2']));
    expect(begun).toEqual(['1', '2']);
    expect(await storedOffset(group)).toBe('2');
  });

  it('writes effects without the offset where another member has moved it, and follows that', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const work = heldWork();
    await send(topic, numbers(1, 3));
    await start({ topics: [topic], group, begin: work.begin });
    await eventually(() => expect(work.begun()).toEqual(numbers(1, 3)));
    await database().pool.query('update consumer_offsets set next_offset = 2 where consumer = $1', [
      group,
    ]);
    work.end('1', '2', '3');
    // The third again, which the other member has not come to.
    await eventually(async () => expect(await effects(topic)).toEqual([...numbers(1, 3), '3']));
    expect(await storedOffset(group)).toBe('3');
    expect(work.begun()).toEqual([...numbers(1, 3), '3']);
  });
});

const atOnce = (record: InboundRecord) => ({ ...record, ready: Promise.resolve() });

/** Work that ends when it is told to, by value, also before it begins. */
function heldWork() {
  const begun: string[] = [];
  const ended = new Set<string>();
  const ends = new Map<string, () => void>();
  return {
    begun: () => begun,
    begin: async (records: readonly InboundRecord[]) =>
      records.map((record) => {
        const value = text(record);
        begun.push(value);
        const ready = new Promise<void>((resolve) => {
          if (ended.has(value)) resolve();
          else ends.set(value, resolve);
        });
        return { ...record, ready };
      }),
    end(...values: readonly string[]) {
      for (const value of values) {
        ended.add(value);
        ends.get(value)?.();
      }
    },
  };
}
