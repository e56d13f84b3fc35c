import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { bigints, inTransaction, ints, texts } from '@junction/eventsourcing/postgres';
import { tapped, useDatabase } from '@junction/testing';
import { takenOf } from '../../../../test/intake-world.js';
import {
  answered,
  delivering,
  eventOf,
  logOf,
  onPostgres,
  resultOf,
} from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import { intake } from '../../../application/intake/intake.js';
import type { IncomingEvent } from '../../../application/intake/ports.js';
import type { Result } from '../../../application/job.js';
import { toStoredId } from '../stored-id.js';
import { intakeReads } from './intake-reads.js';
import { intakeRows, recordAtOnce } from './intake-rows.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('a delivery that was accepted before it was filed', () => {
  it('reads like any other that succeeded at its first attempt', async () => {
    const { take, logs } = await sendingAhead();
    const event = eventOf((await logs()).userId);
    const { jobs, written } = await take([event]);
    const log = await logOf(database(), jobs[0]);
    expect(log).toMatchObject({
      status: 'succeeded',
      reason: null,
      attempt_count: 1,
      body: jobs[0].body,
      log: [
        {
          attempt: 1,
          result: 'succeeded',
          response_status: 200,
          timing: { total_ms: 4 },
          responseHeaders: Buffer.from('date: today'),
          response_sample: 'thanks',
        },
      ],
    });
    expect(log.ended_at?.getTime()).toBe((log.log[0]?.at.getTime() ?? 0) + 4);
    expect(written).toHaveLength(1);
  });

  it('takes one row, sealed, and waits for nothing', async () => {
    const { take, logs } = await sendingAhead();
    const { jobs } = await take([eventOf((await logs()).userId)]);
    const { pool } = database();
    const id = toStoredId(jobs[0].deliveryId);
    const { rows } = await pool.query<{ body: Buffer; key_id: string }>(
      'select body, key_id from deliveries where delivery_id = $1',
      [id],
    );
    expect(rows[0]?.key_id).toBe('user');
    expect(rows[0]?.body.includes('thanks')).toBe(false);
    for (const table of ['pending', 'attempts', 'outcomes']) {
      const found = await pool.query(`select from ${table} where delivery_id = $1`, [id]);
      expect({ table, rows: found.rowCount }).toEqual({ table, rows: 0 });
    }
  });

  it('is sent again with its body alone, and redacted with its answer', async () => {
    const { take, logs, again, redact } = await sendingAhead();
    const { jobs } = await take([eventOf((await logs()).userId)]);
    const { webhookId, deliveryId, body } = jobs[0];
    const repeatId = await again(webhookId, deliveryId);
    expect(await logOf(database(), { ...jobs[0], deliveryId: repeatId ?? '' })).toMatchObject({
      status: 'pending',
      body,
    });
    await database().pool.query('delete from pending where webhook_id = $1', [
      toStoredId(webhookId),
    ]);
    await redact(webhookId, deliveryId);
    expect(await logOf(database(), jobs[0])).toMatchObject({
      status: 'succeeded',
      body: undefined,
      log: [{ attempt: 1, response_sample: null, responseHeaders: undefined }],
    });
  });
});

describe('the events of a fetch', () => {
  it('are filed by the statement that moves their offsets', async () => {
    const { takeAtOnce, userId, statements, stored, offset } = await fetching();
    const events = Array.from({ length: 3 }, () => eventOf(userId));
    await takeAtOnce(events);
    expect(statements()).toEqual(['record_events_at_once']);
    expect(await stored(events)).toEqual({ seen_events: 3, deliveries: 3 });
    expect(await offset()).toBe('3');
  });

  it('are not filed once another replica has moved an offset', async () => {
    const { takeAtOnce, userId, stored, offset } = await fetching();
    await takeAtOnce([eventOf(userId)]);
    const late = [eventOf(userId)];
    await expect(takeAtOnce(late)).rejects.toMatchObject({ code: 'JN002' });
    expect(await stored(late)).toEqual({ seen_events: 0, deliveries: 0 });
    expect(await offset()).toBe('1');
  });

  it('are not filed when another replica has filed one of them', async () => {
    const { takeAtOnce, userId, take, stored, offset } = await fetching();
    const events = [eventOf(userId), eventOf(userId)];
    await expect(takeAtOnce(events, () => take(events.slice(1)))).rejects.toMatchObject({
      code: 'JN002',
    });
    expect(await stored(events)).toEqual({ seen_events: 1, deliveries: 1 });
    expect(await offset()).toBe('0');
  });

  it('are not filed so around midnight', async () => {
    const { recordAt } = await fetching();
    expect(recordAt('2030-01-01T12:00:00Z')).toBeInstanceOf(Function);
    expect(recordAt('2030-01-01T00:04:00Z')).toBeUndefined();
  });
});

/** An intake whose deliveries are all accepted at once, before they are filed. */
async function sendingAhead() {
  const service = await delivering(database());
  const { unlock, index, job } = service;

  /** Sends events, and returns them as they are to be filed. */
  const send = async (events: readonly IncomingEvent[]) => {
    const results: Result[] = [];
    const written: Result[] = [];
    const { prepare, ...filing } = intake({
      dispatch: {
        offerAhead(sent, decided) {
          const fact = { type: 'delivery.succeeded', data: { attempt: 1 } } as const;
          const result = resultOf(sent, '0', fact, answered(200));
          results.push(result);
          decided(result);
          return true;
        },
        stored: () => undefined,
        released: () => undefined,
        accept: () => undefined,
        ready: async () => undefined,
      },
      written: (some) => void written.push(...some),
      filed: () => undefined,
      after: () => undefined,
    });
    const { pool } = database();
    const valid = events.map((event) => ({ kind: 'valid', event }) as const);
    const prepared = await prepare(intakeReads(pool, index), valid);
    const claimed = prepared.flatMap((one) => (one.kind === 'claimed' ? [one] : []));
    await Promise.all(claimed.map(({ ready }) => ready));
    return { ...filing, taken: takenOf(claimed), results, written };
  };
  const take = async (events: readonly IncomingEvent[]) => {
    const { file, taken, results, written } = await send(events);
    const afterCommit = await inTransaction(database().pool, (tx) =>
      file(intakeRows(tx, { unlock, index }, NOON), taken),
    );
    afterCommit();
    const [first, ...more] = results.map((result) => result.job);
    if (first === undefined) throw new Error('Nothing was sent.');
    return { jobs: [first, ...more] as const, written };
  };
  return { ...service, send, take, logs: async () => job };
}

/** A partition with its offset, whose events are sent ahead and filed at once. */
async function fetching() {
  const { pool } = database();
  const { unlock, index, send, take, logs } = await sendingAhead();
  const consumer = randomUUID();
  const names: unknown[] = [];
  const counting = tapped(pool, async (db, statement) => {
    names.push(statement.name);
    return db.query(statement);
  });
  await pool.query(
    `insert into consumer_offsets (consumer, topic, partition, next_offset) values ($1, 't', 0, 0)`,
    [consumer],
  );
  const recordAt = (now: string | Date, count = 1) =>
    recordAtOnce(counting, { unlock, index }, new Date(now), {
      consumer,
      topic: 't',
      partitions: ints([0]),
      offsets_from: bigints(['0']),
      offsets_to: bigints([String(count)]),
      topic_ids: texts([null]),
    });

  return {
    take,
    recordAt,
    userId: (await logs()).userId,
    /** Files events as those that follow the offset 0, after `meanwhile`. */
    async takeAtOnce(
      events: readonly IncomingEvent[],
      meanwhile = async (): Promise<unknown> => 0,
    ) {
      const { fileAtOnce, taken } = await send(events);
      await meanwhile();
      const record = recordAt(NOON, events.length);
      const afterCommit = await (record && fileAtOnce(record, taken));
      afterCommit?.();
    },
    statements: () => names,
    /** Counts the rows of events. */
    async stored(events: readonly IncomingEvent[]) {
      const ids = events.map(({ messageId }) => toStoredId(messageId));
      const { rows } = await pool.query<object>(
        `select (select count(*) from seen_events where message_id = any ($1))::int as seen_events,
                (select count(*) from deliveries where message_id = any ($1))::int as deliveries`,
        [ids],
      );
      return rows[0];
    },
    async offset() {
      const { rows } = await pool.query<{ next_offset: string }>(
        'select next_offset from consumer_offsets where consumer = $1',
        [consumer],
      );
      return rows[0]?.next_offset;
    },
  };
}

const NOON = new Date('2030-01-01T12:00:00Z');
