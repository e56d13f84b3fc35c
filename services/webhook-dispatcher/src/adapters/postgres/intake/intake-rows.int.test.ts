import { beforeAll, describe, expect, it } from '@jest/globals';
import * as arrays from '@junction/eventsourcing/postgres';
import { type TestDatabase, useDatabase } from '@junction/testing';
import { eventOf, logOf, onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { IncomingEvent } from '../../../application/intake/ports.js';
import { toStoredId } from '../stored-id.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

it('Postgres reads from binary arrays what it is given', async () => {
  const uuid = '0198c0de-0123-7abc-8def-00000000abcd';
  const at = (time: string) => new Date(time);
  const { rows } = await database().pool.query(
    `select $1::uuid[] = $9::uuid[] and $2::date[] = $10::date[] and $3::timestamptz[] = $11::timestamptz[]
        and $4::bigint[] = $12::bigint[] and $5::int[] = $13::int[] and $6::smallint[] = $14::smallint[]
        and $7::text[] = $15::text[] and $8::bytea[] = $16::bytea[] as equal,
            unnest($17::text[]) as of_none`,
    [
      arrays.uuids([uuid, null]),
      arrays.dates(['1969-12-31', '2000-01-01', null, '2026-02-28']),
      arrays.timestamps([
        at('1969-12-31T23:59:59.999Z'),
        at('2000-01-01T00:00:00.001Z'),
        at('2026-02-28T12:34:56.789Z'),
      ]),
      arrays.bigints(['-9223372036854775808', '9223372036854775807', null]),
      arrays.ints([-2_147_483_648, 2_147_483_647]),
      arrays.smallints([-32_768, null, 32_767]),
      arrays.texts(['', 'NULL', '"\\{},', '😀', null]),
      arrays.byteas([Buffer.of(), null, Buffer.from([0, 255, 92])]),
      [uuid, null],
      ['1969-12-31', '2000-01-01', null, '2026-02-28'],
      ['1969-12-31 23:59:59.999Z', '2000-01-01 00:00:00.001Z', '2026-02-28 12:34:56.789Z'],
      ['-9223372036854775808', '9223372036854775807', null],
      [-2_147_483_648, 2_147_483_647],
      [-32_768, null, 32_767],
      ['', 'NULL', '"\\{},', '😀', null],
      [Buffer.of(), null, Buffer.from([0, 255, 92])],
      arrays.texts([null]),
    ],
  );
  expect(rows).toEqual([{ equal: true, of_none: null }]);
  const none = await database().pool.query('select from unnest($1::uuid[])', [arrays.uuids([])]);
  expect(none.rowCount).toBe(0);
});

describe('an event that is taken in', () => {
  it('leaves a sealed delivery, a pending row and the verdicts, and gives the job', async () => {
    const { newWebhook, takeIn, unlock } = onPostgres(database());
    const { userId, webhookId } = await newWebhook();
    const event = eventOf(userId);
    const [job] = await takeIn([event]);

    expect(job).toMatchObject({ webhookId, userId, attempt: 1, webhookVersion: 1 });
    const [delivery] = await rowsOf('deliveries', event);
    expect(delivery).toMatchObject({ kind: 'draft.created', key_id: 'user' });
    const body = delivery?.['body'] as Buffer;
    expect(body.includes('"a":1')).toBe(false);
    const keys = await unlock([userId]);
    const place = `deliveries/body/${job?.deliveryId}`;
    expect(keys.open(userId, body, place).equals(job?.body ?? Buffer.of())).toBe(true);

    const [seen] = await rowsOf('seen_events', event);
    expect(seen).toMatchObject({ ce_source: '/tests', verdicts: { [webhookId]: 'pending' } });
    const pending = await database().pool.query('select * from pending where user_id = $1', [
      userId,
    ]);
    expect(pending.rows).toMatchObject([{ attempt: 1, status: 'pending', shard: job?.shard }]);
  });

  it('says when it was taken in, and when it happened; so does what repeats it', async () => {
    const { newWebhook, takeIn, again } = onPostgres(database());
    const { userId, webhookId } = await newWebhook();
    const earliest = Date.now();
    const times = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
    const jobs = await takeIn(times.map((time) => eventOf(userId, { time: new Date(time) })));
    await database().pool.query('delete from pending where user_id = $1', [userId]);
    for (const [index, job] of jobs.entries()) {
      const repeat = await again(webhookId, job.deliveryId);
      expect(repeat).not.toBe(job.deliveryId);
      for (const deliveryId of [job.deliveryId, repeat ?? '']) {
        const { event_time: eventTime, created_at: createdAt } = await logOf(database(), {
          ...job,
          deliveryId,
        });
        expect(eventTime?.toISOString()).toBe(times[index]);
        expect(createdAt.getTime()).toBeGreaterThanOrEqual(earliest);
        expect(createdAt.getTime()).toBeLessThanOrEqual(Date.now());
      }
    }
  });

  it('counts how often it came again', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const [event, other] = [eventOf(userId), eventOf(userId)];
    await takeIn([event, event, other]);
    await takeIn([event]);
    expect(await rowsOf('seen_events', event)).toMatchObject([
      { repeats: 2, repeated_at: expect.any(Date) },
    ]);
    expect(await rowsOf('seen_events', other)).toMatchObject([{ repeats: 0, repeated_at: null }]);
  });

  it('is one delivery when two transactions take it in at the same time', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const events = Array.from({ length: 20 }, () => eventOf(userId));
    const jobs = await Promise.all([takeIn(events), takeIn(events.toReversed()), takeIn(events)]);
    expect(jobs.flat()).toHaveLength(20);
  });

  it('is known for seven days, over the border of a day', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const [recent, purged] = [eventOf(userId), eventOf(userId)];
    await seenDaysAgo(database(), recent, 6);
    await seenDaysAgo(database(), purged, 8);
    const jobs = await takeIn([recent, purged]);
    expect(jobs.map(({ messageId }) => messageId)).toEqual([purged.messageId]);
  });

  it('is known to a transaction that began before midnight and went after one that began later', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const event = eventOf(userId);
    await seenDaysAgo(database(), event, -1);
    expect(await takeIn([event])).toEqual([]);
  });

  it('is taken in one transaction at a time around midnight', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const event = eventOf(userId);
    const midnight = new Date('2030-01-01T23:59:58Z');
    const jobs = await Promise.all(Array.from({ length: 4 }, () => takeIn([event], midnight)));
    expect(jobs.flat()).toHaveLength(1);
  });

  it('waits, and is no dead letter, while its day has no partition', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    await database().pool.query(`alter table seen_events detach partition seen_events_${day}`);
    await expect(takeIn([eventOf(userId)])).rejects.toMatchObject({ kind: 'unavailable' });
    await database().pool.query(
      `alter table seen_events attach partition seen_events_${day}
         for values from ('${day}') to ('${nextDay()}')`,
    );
    expect(await takeIn([eventOf(userId)])).toHaveLength(1);
  });
});

async function rowsOf(table: 'deliveries' | 'seen_events', { messageId }: IncomingEvent) {
  const { rows } = await database().pool.query<Record<string, unknown>>(
    `select * from ${table} where message_id = $1`,
    [toStoredId(messageId)],
  );
  return rows;
}

async function seenDaysAgo({ pool }: TestDatabase, event: IncomingEvent, days: number) {
  const { rows } = await pool.query<{ day: string; name: string }>(
    `select d.day::text, to_char(d.day, '"seen_events_"YYYYMMDD') as name
       from (select (now() at time zone 'utc')::date - $1::int as day) d`,
    [days],
  );
  const [{ day, name } = { day: '', name: '' }] = rows;
  await pool.query(
    `create table if not exists ${name} partition of seen_events
       for values from ('${day}') to ('${dayAfter(day)}')`,
  );
  await pool.query(
    `insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
     values ($1, $2, $3, $4, $5, $6, now(), '{}')`,
    [day, toStoredId(event.messageId), event.source, event.id, event.userId, event.kind],
  );
}

const dayAfter = (day: string) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

const nextDay = () => dayAfter(new Date().toISOString().slice(0, 10));
