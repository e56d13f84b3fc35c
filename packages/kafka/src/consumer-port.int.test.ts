import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { eventually } from '@junction/testing';
import { Kafka, logLevel } from 'kafkajs';
import { textRecord, usePort } from '../test/port-stage.js';
import { kafkaClient } from './kafka-client.js';
import type { FetchedBatch, InboundRecord } from './kafka-port.js';
import { silentLog } from './log.js';

/** Deadline before which Kafka itself does not yet remove a member that is gone. */
const BEFORE_ITS_SESSION_ENDS = { deadlineMs: 6_000 };

const { brokers, prefix, kafka, consume, newTopic, send, consumed } = usePort();

describe('a consumer', () => {
  it('hands out its partitions paused, and fetches from where it is told to', async () => {
    const topic = await newTopic();
    await send([textRecord(topic, 'a'), textRecord(topic, 'b'), textRecord(topic, 'c')]);
    const batches: FetchedBatch[] = [];
    consume({
      topics: [topic],
      onAssigned: (partitions, control) => {
        for (const at of partitions) {
          control.seek(at, 1n);
          setTimeout(() => control.resume(at), 50);
        }
      },
      onBatch: async (batch) => void batches.push(batch),
    });

    await eventually(() => expect(batches).not.toHaveLength(0));
    expect(batches[0]).toMatchObject({ fetchedOffset: 1n, lastOffset: 2n, highWatermark: 3n });
    expect(values(batches[0]?.records ?? [])).toEqual(['b', 'c']);
  });

  it('pauses and resumes a partition', async () => {
    const topic = await newTopic();
    await send([textRecord(topic, 'a')]);
    const seen: string[] = [];
    let resume: (() => void) | undefined;
    consume({
      topics: [topic],
      onAssigned: (partitions, control) => {
        for (const at of partitions) control.resume(at);
        resume = () => partitions.forEach((at) => control.resume(at));
        pause = () => partitions.forEach((at) => control.pause(at));
      },
      onBatch: async (batch) => {
        pause();
        seen.push(...values(batch.records));
        for (const { offset } of batch.records) batch.resolve(offset);
      },
    });
    let pause = (): void => undefined;

    await eventually(() => expect(seen).toEqual(['a']));
    await send([textRecord(topic, 'b')]);
    await oneMoreFetchElsewhere();
    expect(seen).toEqual(['a']);
    resume?.();
    await eventually(() => expect(seen).toEqual(['a', 'b']));
  });

  it('fetches nothing of a topic that was made anew, and has its partitions assigned anew', async () => {
    const topic = await newTopic();
    const idOf = async () => (await kafka.admin().logBounds(topic)).get(0)?.topicId;
    let topicId = await idOf();
    let assignments = 0;
    const seen: (readonly [string | undefined, readonly string[]])[] = [];
    consume({
      topics: [topic],
      onAssigned: (partitions, control) => {
        assignments++;
        for (const at of partitions) {
          control.seek(at, 0n, topicId);
          control.resume(at);
        }
      },
      onBatch: async (batch) => {
        seen.push([batch.topicId, values(batch.records)]);
        batch.resolve(batch.lastOffset);
      },
    });
    await send([textRecord(topic, 'a')]);
    await eventually(() => expect(seen).toEqual([[topicId, ['a']]]));

    await kafka.admin().deleteTopics([topic]);
    await newTopic(1, topic);
    await send([textRecord(topic, 'b')]);
    await eventually(() => expect(assignments).toBeGreaterThan(2), { deadlineMs: 30_000 });
    expect(seen).toHaveLength(1);
    topicId = await idOf();
    await eventually(() => expect(seen[1]).toEqual([topicId, ['b']]), { deadlineMs: 30_000 });
  }, 60_000);

  it('awaits the end of an assignment before another member gets its partitions, and before it leaves', async () => {
    const topic = await newTopic(2);
    const group = `${prefix}${randomUUID()}`;
    const seen: string[] = [];
    const member = (name: string) =>
      consume({
        group,
        topics: [topic],
        onAssigned: (partitions) => {
          seen.push(`${name} has ${partitions.length}`);
          return async () => {
            await oneMoreFetchElsewhere();
            seen.push(`${name} has ended`);
          };
        },
        onBatch: async () => undefined,
      });
    const first = member('first');
    await eventually(() => expect(seen).toEqual(['first has 2']));
    member('second');
    await eventually(() => expect(seen).toContain('second has 1'), { deadlineMs: 30_000 });
    expect(seen.indexOf('first has ended')).toBe(1);
    seen.length = 0;
    await first.stop();
    await eventually(() => expect(seen).toContain('second has 2'), { deadlineMs: 30_000 });
    expect(seen.indexOf('first has ended')).toBe(0);
  });

  it('leaves the group also when it is stopped while joining', async () => {
    const topic = await newTopic();
    await send([textRecord(topic, 'a')]);
    const group = randomUUID();
    const { promise: busy, resolve: letGo } = deferred<void>();
    let hasBegun = false;
    const member = consume({
      group: `${prefix}${group}`,
      topics: [topic],
      onBatch: async () => {
        hasBegun = true;
        await busy;
      },
    });
    await eventually(() => expect(hasBegun).toBe(true));
    const { subscription } = assigned(topic, group);
    // The group waits for the busy consumer, and the second consumer for the group.
    await eventually(async () =>
      expect(await groupState(group)).toMatchObject({ state: 'PreparingRebalance' }),
    );

    const stopped = subscription.stop();
    letGo();
    await stopped;
    await eventually(
      async () => expect(await groupState(group)).toEqual({ state: 'Stable', members: 1 }),
      BEFORE_ITS_SESSION_ENDS,
    );
    expect(member.healthy()).toBe(true);
  });

  it('stops although Kafka has never answered', async () => {
    const nowhere = kafkaClient({ brokers: ['127.0.0.1:9'], clientId: 'test', log: silentLog });
    const subscription = nowhere.runConsumer({
      group: randomUUID(),
      topics: ['any'],
      concurrency: 1,
      onAssigned: () => undefined,
      onBatch: async () => undefined,
      onSkipped: () => undefined,
    });
    await expect(subscription.stop()).resolves.toBeUndefined();
  });

  it('is made anew after a crash, and not healthy until then', async () => {
    const topic = await newTopic();
    await send([textRecord(topic, 'a')]);
    const seen: string[] = [];
    let isBroken = true;
    const subscription = consume({
      topics: [topic],
      onBatch: async (batch) => {
        if (isBroken) throw new TypeError('a defect, which kafkajs never retries');
        seen.push(...values(batch.records));
        for (const { offset } of batch.records) batch.resolve(offset);
      },
    });
    await eventually(() => expect(subscription.healthy()).toBe(true));
    await eventually(() => expect(subscription.healthy()).toBe(false));
    isBroken = false;
    await eventually(() => expect(subscription.healthy()).toBe(true));
    await eventually(() => expect(seen).toEqual(['a']));
  });

  it('is not taken for dead while a long batch makes progress', async () => {
    const topic = await newTopic();
    await send(['a', 'b', 'c', 'd', 'e', 'f'].map((value) => textRecord(topic, value)));
    let joins = 0;
    const seen: string[] = [];
    consume({
      topics: [topic],
      silenceMaxMs: 1_000,
      onAssigned: (partitions, control) => {
        joins += 1;
        for (const at of partitions) control.resume(at);
      },
      onBatch: async (batch) => {
        for (const record of batch.records) {
          const aWhile = performance.now() + 500;
          await eventually(() => expect(performance.now()).toBeGreaterThan(aWhile));
          seen.push(...values([record]));
          batch.resolve(record.offset);
          await batch.heartbeat();
        }
      },
    });

    await eventually(() => expect(seen.join('')).toBe('abcdef'));
    expect(joins).toBe(1);
  });

  it('is made anew when it has not been heard of for too long', async () => {
    const topic = await newTopic();
    await send([textRecord(topic, 'a')]);
    let joins = 0;
    let letGo: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    consume({
      topics: [topic],
      silenceMaxMs: 1_000,
      onAssigned: (partitions, control) => {
        joins += 1;
        for (const at of partitions) control.resume(at);
      },
      onBatch: async () => (joins === 1 ? hanging : undefined),
    });
    await eventually(() => expect(joins).toBeGreaterThan(1), { deadlineMs: 30_000 });
    letGo();
  });

  it('waits for a topic that comes later, and is not healthy until then', async () => {
    const name = `later-${randomUUID()}`;
    const topic = `${prefix}${name}`;
    const subscription = consume({ topics: [topic], onBatch: async () => undefined });
    expect(subscription.healthy()).toBe(false);

    await kafka.admin().ensureTopics([{ name, partitions: 1, retentionMs: -1 }], prefix);
    await eventually(() => expect(subscription.healthy()).toBe(true));
  });
});

const values = (records: readonly InboundRecord[]): string[] =>
  records.map(({ value }) => value?.toString() ?? '');

/** Returns the state of a group according to Kafka. */
async function groupState(group: string) {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([`${prefix}${group}`]);
    return { state: groups[0]?.state, members: groups[0]?.members.length };
  } finally {
    await admin.disconnect();
  }
}

/** Waits until a separate group has read a record: by then every other consumer has had time to fetch. */
async function oneMoreFetchElsewhere(): Promise<void> {
  const topic = await newTopic();
  await send([textRecord(topic, 'x')]);
  await consumed(topic, 1);
}

function assigned(topic: string, group: string) {
  let count = 0;
  const subscription = consume({
    group: `${prefix}${group}`,
    topics: [topic],
    onBatch: async () => undefined,
    onAssigned: (partitions) => {
      count = partitions.length;
    },
  });
  return { subscription, count: () => count };
}
