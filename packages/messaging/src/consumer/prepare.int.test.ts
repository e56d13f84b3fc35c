import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import type { InboundRecord } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { numbers, text, useConsumerStage } from '../../test/consumer-stage.js';
import type { Consumer } from './consumer.js';
import type { Handle } from './handle.js';

const stage = useConsumerStage();
const {
  database,
  start,
  newTopic,
  send,
  effects,
  deadLetters,
  storedOffset,
  refuseBad,
  reassigning,
  releasing,
} = stage;

describe('a consumer that starts work on records before they are handled', () => {
  it('handles each record when its work is ready, in the order of the log, with its offset', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const work = heldWork();
    await send(topic, numbers(1, 4));
    const consumer = await start({ topics: [topic], group, prepare: work.prepare });
    await eventually(() => expect(work.prepared()).toEqual(numbers(1, 4)));

    work.end('2', '4');
    await send(topic, ['5']);
    await eventually(() => expect(work.prepared()).toEqual(numbers(1, 5)));
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

  it('waits for the work under way before it stops', async () => {
    const topic = await newTopic();
    const work = heldWork();
    await send(topic, ['1']);
    const consumer = await start({ topics: [topic], prepare: work.prepare });
    await eventually(() => expect(work.prepared()).toEqual(['1']));
    const stopped = consumer.stop();
    work.end('1');
    await stopped;
    expect(await effects(topic)).toEqual(['1']);
  });

  it('sets aside a record that cannot be handled, and handles those beside it', async () => {
    const topic = await newTopic();
    const abandoned: string[] = [];
    const reported: string[] = [];
    await send(topic, ['1', 'bad', '3', 'worse']);
    await start({
      topics: [topic],
      onDeadLetters: (letters) => reported.push(...letters.map(({ reason }) => reason.code)),
      prepare: async (records) =>
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
    // Both follow the commit that shows the letters.
    await eventually(() => expect(abandoned).toEqual(['bad', 'worse']));
    await eventually(() => expect(reported).toEqual(['refused', 'handler_failed']));
  });

  it('starts work again that could not start, and not work that could not be handled', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const prepared: string[] = [];
    let failures = 0;
    const fail = () => {
      failures++;
      throw Object.assign(new Error('away'), { code: '57P03' });
    };
    await send(topic, ['1', '2']);
    await start({
      topics: [topic],
      group,
      prepare: async (records) => {
        if (failures === 0) fail();
        prepared.push(...records.map(text));
        return records.map(atOnce);
      },
      handle: async (records, tx) => {
        if (failures < 3) fail();
        await stage.store(records, tx);
      },
    });
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '2']));
    expect(prepared).toEqual(['1', '2']);
    expect(await storedOffset(group)).toBe('2');
  });

  it('leaves to another member the records it has handled, and starts work again on those behind', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const work = heldWork();
    await send(topic, numbers(1, 3));
    await start({ topics: [topic], group, prepare: work.prepare });
    await eventually(() => expect(work.prepared()).toEqual(numbers(1, 3)));
    await database().pool.query('update consumer_offsets set next_offset = 2 where consumer = $1', [
      group,
    ]);
    work.end('1', '2', '3');
    // The other member has not come to the third.
    await eventually(async () => expect(await effects(topic)).toEqual(['3']));
    expect(await storedOffset(group)).toBe('3');
    expect(work.prepared()).toEqual([...numbers(1, 3), '3']);
    expect(work.abandoned()).toEqual(['1', '2', '3']);
  });

  it('handles what is in flight before another member that joins gets its partitions', async () => {
    const { topic, member, all } = await twoMembers();
    const work = heldWork();
    const first = await member(work, () => work.end(...all));
    await send(topic, all);
    await eventually(() => expect(new Set(work.prepared())).toEqual(new Set(all)));
    const other = heldWork();
    other.end(...all);
    const second = await member(other);
    await eventually(() => expect([first, second].map(partitionsOf)).toEqual([1, 1]), SLOW);
    await eventually(() => expect(second.caughtUp()).toBe(true));
    expect(other.prepared()).toEqual([]);
    expect(new Set(await effects(topic))).toEqual(new Set(all));
    expect(work.abandoned()).toEqual([]);
  });

  it('handles what is in flight before it leaves its partitions to another member', async () => {
    const { topic, member, all } = await twoMembers();
    const [work, other] = [heldWork(), heldWork()];
    other.end(...all);
    const first = await member(work, () => work.end(...all));
    const second = await member(other);
    await eventually(() => expect([first, second].map(partitionsOf)).toEqual([1, 1]), SLOW);
    // Work that ended when the members shared the partitions out has none of these records yet.
    work.hold();
    await send(topic, all);
    const prepared = () => [...work.prepared(), ...other.prepared()];
    await eventually(() => expect(prepared()).toHaveLength(all.length));
    expect(work.prepared()).not.toEqual([]);
    await first.stop();
    await eventually(() => expect(partitionsOf(second)).toBe(2), SLOW);
    await eventually(() => expect(second.caughtUp()).toBe(true));
    expect(new Set(await effects(topic))).toEqual(new Set(all));
    expect(prepared()).toHaveLength(all.length);
  });

  it('handles each record once, however much is in flight when another assignment comes', async () => {
    const topic = await newTopic(2);
    const all = numbers(1, 600);
    const work = heldWork();
    const { kafka, assignAnew } = reassigning();
    work.end(...all);
    await send(topic, all);
    await start({
      topics: [topic],
      kafka,
      batchMax: 10,
      prepare: work.prepare,
      handle: slowly(40),
    });
    await eventually(() => expect(work.prepared()).toHaveLength(all.length));
    assignAnew();
    await eventually(async () => expect(new Set(await effects(topic)).size).toBe(all.length), SLOW);
    expect(await effects(topic)).toHaveLength(all.length);
  });

  it('starts no work of another assignment while a write of the last one hangs', async () => {
    const topic = await newTopic();
    const work = heldWork();
    const { kafka, assignAnew } = reassigning();
    const [handling, hanging] = [deferred<void>(), deferred<void>()];
    work.end('1', '2');
    await send(topic, ['1']);
    await start({
      topics: [topic],
      kafka,
      prepare: work.prepare,
      async handle(records, tx) {
        await stage.store(records, tx);
        handling.resolve();
        await hanging.promise;
      },
    });
    await handling.promise;
    await send(topic, ['2']);
    await eventually(() => expect(work.prepared()).toEqual(['1', '2']));
    assignAnew();
    assignAnew();
    await longerThanItsEnd();
    expect(work.prepared()).toEqual(['1', '2']);
    hanging.resolve();
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '2']));
    expect(work.prepared()).toEqual(['1', '2', '2']);
    expect(work.abandoned()).toEqual(['2']);
  });

  it('drops work that started too late, for an assignment that has ended', async () => {
    const topic = await newTopic();
    const work = heldWork();
    const { kafka, assignAnew } = reassigning();
    const beginning = deferred<void>();
    work.end('1');
    await send(topic, ['1']);
    await start({
      topics: [topic],
      kafka,
      async prepare(records) {
        const prepared = await work.prepare(records);
        await beginning.promise;
        return prepared;
      },
    });
    await eventually(() => expect(work.prepared()).toEqual(['1']));
    assignAnew();
    beginning.resolve();
    await eventually(() => expect(work.prepared()).toEqual(['1', '1']));
    await eventually(async () => expect(await effects(topic)).toEqual(['1']));
    expect(work.abandoned()).toEqual(['1']);
  });

  it('starts work on no more than some thousand records of a partition before they are written', async () => {
    const topic = await newTopic();
    const all = numbers(1, 2_000);
    const work = heldWork();
    const store = slowly(20);
    let [written, unwrittenMax] = [0, 0];
    work.end(...all);
    await send(topic, all);
    await start({
      topics: [topic],
      async prepare(records) {
        unwrittenMax = Math.max(unwrittenMax, work.prepared().length + records.length - written);
        return work.prepare(records);
      },
      async handle(records, tx, setAside) {
        await store(records, tx, setAside);
        return () => void (written += records.length);
      },
    });
    await eventually(async () => expect(await effects(topic)).toEqual(all), SLOW);
    expect(unwrittenMax).toBeLessThan(1_200);
  });
});

/** Sets up a topic for two members of a group. `release` is called before partitions of the member may go. */
async function twoMembers() {
  const topic = await newTopic(2);
  const group = randomUUID();
  const member = ({ prepare }: ReturnType<typeof heldWork>, release = () => {}) =>
    start({ topics: [topic], group, prepare, kafka: releasing(release) });
  return { topic, member, all: numbers(1, 20) };
}

const partitionsOf = ({ status }: Pick<Consumer, 'status'>): number => status().length;

const SLOW = { deadlineMs: 30_000 };

/** Waits for longer than an assignment writes records in flight when it ends. */
async function longerThanItsEnd(): Promise<void> {
  const endMs = performance.now() + 4_500;
  await eventually(() => expect(performance.now()).toBeGreaterThan(endMs));
}

const slowly =
  (ms: number): Handle =>
  async (records, tx) => {
    await stage.store(records, tx);
    await sleep(ms);
  };

const atOnce = (record: InboundRecord) => ({ ...record, ready: Promise.resolve() });

/** Creates work that ends on command, by value, also before it starts. */
function heldWork() {
  const prepared: string[] = [];
  const ended = new Set<string>();
  const ends = new Map<string, () => void>();
  const abandoned: string[] = [];
  return {
    prepared: () => prepared,
    abandoned: () => abandoned,
    prepare: async (records: readonly InboundRecord[]) =>
      records.map((record) => {
        const value = text(record);
        prepared.push(value);
        const ready = new Promise<void>((resolve) => {
          if (ended.has(value)) resolve();
          else ends.set(value, resolve);
        });
        return {
          ...record,
          ready,
          abandon: () => void abandoned.push(value),
        };
      }),
    /** Makes what has not started wait for its end again. */
    hold: () => ended.clear(),
    end(...values: readonly string[]) {
      for (const value of values) {
        ended.add(value);
        ends.get(value)?.();
      }
    },
  };
}
