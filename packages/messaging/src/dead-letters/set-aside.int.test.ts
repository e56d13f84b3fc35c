import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { eventually } from '@junction/testing';
import { numbers, refuse, text, useConsumerStage } from '../../test/consumer-stage.js';
import { RecordError } from '../consumer/record-error.js';
import type { DeadLetter } from './dead-letter.js';

const { database, start, newTopic, send, store, refuseBad, effects, deadLetters, storedOffset } =
  useConsumerStage();

describe('a record that nobody can handle', () => {
  it('is a dead letter at once when it says so itself, and the next ones follow', async () => {
    const topic = await newTopic();
    const user = randomUUID();
    await send(topic, ['a', 'bad', 'c'], () => 'k', { ce_subject: user, ce_id: '1' });
    const told: DeadLetter[] = [];
    let tries = 0;
    await start({
      topics: [topic],
      onDeadLetter: (letter) => told.push(letter),
      handle: async (records, tx) => {
        if (records.length === 1 && text(records[0]) === 'bad') tries += 1;
        if (records.some((record) => text(record) === 'bad')) {
          throw new RecordError('kind_unknown', 'ce_type is none of the five kinds.');
        }
        await store(records, tx);
      },
    });

    await eventually(async () => expect(await effects(topic)).toEqual(['a', 'c']));
    expect(tries).toBe(1);
    expect(await deadLetters(topic)).toEqual([
      {
        partition: 0,
        record_offset: '1',
        key: 'k',
        headers: { ce_subject: user, ce_id: '1' },
        payload: Buffer.from('bad'),
        reason_code: 'kind_unknown',
        reason_text: 'ce_type is none of the five kinds.',
        user_id: user,
      },
    ]);
    expect(told).toMatchObject([
      { topic, partition: 0, offset: 1n, reason: { code: 'kind_unknown' } },
    ]);
    expect(await notices(topic)).toEqual([
      {
        id: told[0]?.id,
        consumer: told[0]?.consumer,
        topic,
        partition: 0,
        offset: '1',
        reason: { code: 'kind_unknown', text: 'ce_type is none of the five kinds.' },
      },
    ]);
  });

  it('is tried three times when its error is not clear, without a trace of its words', async () => {
    const topic = await newTopic();
    await send(topic, ['a', 'bad', 'c']);
    let tries = 0;
    await start({
      topics: [topic],
      handle: async (records, tx) => {
        await store(records, tx);
        if (records.length === 1 && text(records[0]) === 'bad') tries += 1;
        if (records.some((record) => text(record) === 'bad')) {
          await tx.query(`select 'secret'::uuid`);
        }
      },
    });

    await eventually(async () => expect(await effects(topic)).toEqual(['a', 'c']));
    expect(tries).toBe(3);
    expect(await deadLetters(topic)).toMatchObject([
      {
        reason_code: 'handler_failed',
        reason_text: 'Handling it failed 3 times with error 22P02.',
      },
    ]);
    expect(JSON.stringify(await notices(topic))).not.toContain('secret');
  });

  it('is found although the handler swallowed the error of its statement', async () => {
    const topic = await newTopic();
    await send(topic, ['a', 'bad', 'c']);
    await start({
      topics: [topic],
      handle: async (records, tx) => {
        await store(records, tx);
        if (records.some((record) => text(record) === 'bad')) {
          await tx.query('select 1/0').catch(() => undefined);
        }
      },
    });
    await eventually(async () => expect(await effects(topic)).toEqual(['a', 'c']));
    expect(await deadLetters(topic)).toHaveLength(1);
  });

  it('can be stored whatever it is made of', async () => {
    const topic = await newTopic();
    const odd = 'k\u0000'.repeat(2_000);
    await send(topic, ['bad'], () => odd, { 'h\u0000': 'v\u0000' });
    await start({ topics: [topic], handle: refuse });

    await eventually(async () => expect(await deadLetters(topic)).toHaveLength(1));
    expect(await deadLetters(topic)).toMatchObject([{ headers: { 'h\uFFFD': 'v\uFFFD' } }]);
  });
});

describe('records that are taken one by one', () => {
  it('are not blamed for the surroundings either', async () => {
    const topic = await newTopic();
    await send(topic, ['bad', 'unlucky', 'c'], () => 'k');
    let refusals = 4;
    await start({
      topics: [topic],
      handle: async (records, tx) => {
        if (records.length === 1 && text(records[0]) === 'unlucky' && refusals-- > 0) {
          throw new AppError('unavailable', 'away', 'Auth is away.');
        }
        await refuseBad(records, tx);
      },
    });
    await eventually(async () => expect(await effects(topic)).toEqual(['unlucky', 'c']));
    expect(await deadLetters(topic)).toMatchObject([{ payload: Buffer.from('bad') }]);
  });

  it('are committed in parts when they take long, and still have one effect each', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    await send(topic, [...numbers(1, 8), 'bad', ...numbers(9, 16)], () => 'k');
    const committed: string[] = [];
    await start({
      topics: [topic],
      group,
      handle: async (records, tx) => {
        await refuseBad(records, tx);
        await tx.query('select pg_sleep(0.04)');
        return () => void committed.push(...records.map(text));
      },
    });

    await eventually(async () => expect(await effects(topic)).toEqual(numbers(1, 16)));
    expect(await storedOffset(group)).toBe('17');
    expect(committed).toEqual(numbers(1, 16));
    expect(await deadLetters(topic)).toHaveLength(1);
  });
});

describe('a consumer that drops duplicates', () => {
  it('knows a record that came before, by its sequence or, without one, by its id', async () => {
    const topic = await newTopic();
    const sequenced = (value: string, n: number) =>
      sendOne(topic, 'k', value, { ce_sequence: `${n}` });
    const identified = (value: string) =>
      sendOne(topic, 'k', value, { ce_id: '1', ce_source: 's' });
    const consumer = await start({ topics: [topic], dropDuplicates: true });
    await sequenced('1', 1);
    await sequenced('2', 2);
    await identified('x');
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '2', 'x']));

    // Once more, as a relay writes them that did not hear Kafka's answer.
    await sequenced('1 again', 1);
    await sequenced('2 again', 2);
    await identified('x again');
    await sequenced('3', 3);
    await sequenced('3 again', 3);
    await sequenced('4', 4);
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '2', 'x', '3', '4']));
    expect(await deadLetters(topic)).toEqual([]);
    expect(consumer.healthy()).toBe(true);
  });

  it('sets a record aside, and the next ones of its key follow', async () => {
    const topic = await newTopic();
    await start({ topics: [topic], dropDuplicates: true, handle: refuseBad });
    for (const [index, value] of ['1', 'bad', '3'].entries()) {
      await sendOne(topic, 'k', value, { ce_sequence: `${index + 1}` });
    }
    // A relay that did not hear Kafka's answer writes the bad one again.
    await sendOne(topic, 'k', 'bad', { ce_sequence: '2' });
    await sendOne(topic, 'k', '4', { ce_sequence: '4' });

    await eventually(async () => expect(await effects(topic)).toEqual(['1', '3', '4']));
    expect(await deadLetters(topic)).toMatchObject([
      { key: 'k', record_offset: '1', reason_code: 'refused' },
    ]);
  });
});

/** What waits in the outbox for <topic>.dlq. */
async function notices(topic: string): Promise<readonly unknown[]> {
  const { rows } = await database().pool.query<{ payload: Buffer }>(
    'select payload from outbox where aggregatetype = $1 order by id',
    [`${topic}.dlq`],
  );
  return rows.map(({ payload }) => JSON.parse(payload.toString()) as unknown);
}

const sendOne = (topic: string, key: string, value: string, headers: Record<string, string>) =>
  send(topic, [value], () => key, headers);
