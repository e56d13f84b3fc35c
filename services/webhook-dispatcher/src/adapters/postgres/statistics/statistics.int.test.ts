import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { useDatabase } from '@junction/testing';
import type { Pool } from 'pg';
import { tablesRead } from '../../../../test/filled-deliveries.js';
import {
  answered,
  delivering,
  eventOf,
  onPostgres,
  resultOf,
} from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { Job } from '../../../application/job.js';
import type { Step } from '../../../application/statistics/ports.js';
import { tally } from '../../../application/statistics/statistics.js';
import type { DeliveryStatus } from '../../../domain/delivery/events.js';
import { sumCounts } from '../../../domain/statistics/latency.js';
import { deliveryLog } from '../history/delivery-log.js';
import { writeResults } from '../sending/write-results.js';
import { toStoredId } from '../stored-id.js';
import { unsentCounts } from './unsent-counts.js';
import { webhookHours } from './webhook-hours.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

const FROM = new Date('2030-01-01T10:00:00Z');
const SPAN = { from: FROM, to: new Date('2030-01-01T12:00:00Z') };

describe('the statistics of a webhook', () => {
  it('add up what replicas count, by the hour, without what was refused before it was sent', async () => {
    const job = await newJob();
    const hours = webhookHours(database().pool);
    const [one, other] = [tally(hours.add), tally(hours.add)];
    one.count([at(job, '2030-01-01T10:59:59Z', 200), at(job, '2030-01-01T11:00:00Z', 500)]);
    other.count([at(job, '2030-01-01T10:00:00Z', 200), refused(job)]);
    await Promise.all([one.flush(), other.flush()]);
    await one.flush();

    const found = await hours.hours([job.webhookId], SPAN);
    expect(
      found.map(({ hour, succeeded, failed }) => [hour.getUTCHours(), succeeded, failed]),
    ).toEqual([
      [10, 2, 0],
      [11, 0, 1],
    ]);
    expect(found[0]?.latency.reduce((sum, count) => sum + count, 0)).toBe(2);

    expect(await hours.marksOfEach([job.webhookId])).toEqual(new Map([[job.webhookId, '11x']]));
    const responses = async (step: Step) =>
      (await hours.responses([job.webhookId], { ...SPAN, step })).map(
        ({ at, event_type, response, attempts }) => [
          at.toISOString(),
          event_type,
          response,
          attempts,
        ],
      );
    expect(await responses('5m')).toEqual([
      ['2030-01-01T10:00:00.000Z', job.kind, '2xx', 1],
      ['2030-01-01T10:55:00.000Z', job.kind, '2xx', 1],
      ['2030-01-01T11:00:00.000Z', job.kind, '5xx', 1],
    ]);
    expect(await responses('6h')).toEqual([
      ['2030-01-01T06:00:00.000Z', job.kind, '2xx', 2],
      ['2030-01-01T06:00:00.000Z', job.kind, '5xx', 1],
    ]);
  });

  it('keep the last marks alone, those of earlier hours before those of later ones', async () => {
    const job = await newJob();
    const hours = webhookHours(database().pool);
    const counting = tally(hours.add);
    const times = (count: number, time: string, status: number) =>
      counting.count(Array.from({ length: count }, () => at(job, time, status)));
    times(60, '2030-01-01T11:00:00Z', 500);
    times(50, '2030-01-01T10:00:00Z', 200);
    await counting.flush();
    const marks = `${'1'.repeat(30)}${'x'.repeat(60)}`;
    expect(await hours.marksOfEach([job.webhookId])).toEqual(new Map([[job.webhookId, marks]]));
    times(100, '2030-01-01T11:30:00Z', 200);
    await counting.flush();
    expect(await hours.marksOfEach([job.webhookId])).toEqual(
      new Map([[job.webhookId, '1'.repeat(90)]]),
    );
  });

  it('keep the marks that lie before many hours in which a filter dropped every event', async () => {
    const job = await newJob();
    const { pool } = database();
    const hours = webhookHours(pool);
    const counting = tally(hours.add);
    counting.count([at(job, '2030-01-01T10:00:00Z', 200)]);
    await counting.flush();
    await pool.query(
      `insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, filtered, latency)
       select webhook_id, hour + n * interval '1 hour', user_id, 0, 0, 1, '{}'
         from webhook_hours, generate_series(1, 90) n where webhook_id = $1`,
      [toStoredId(job.webhookId)],
    );
    expect(await hours.marksOfEach([job.webhookId])).toEqual(new Map([[job.webhookId, '1']]));
  });

  it('hold the attempt that began last, whichever replica counted it last', async () => {
    const { webhookId, ...job } = await newJob();
    const hours = webhookHours(database().pool);
    const [one, other] = [tally(hours.add), tally(hours.add)];
    const last = { ...job, webhookId, deliveryId: newId('dlv') };
    one.count([
      at(last, '2030-01-01T11:30:00Z', 500),
      at({ ...job, webhookId }, '2030-01-01T10:30:00Z', 200),
    ]);
    other.count([at({ ...job, webhookId }, '2030-01-01T11:29:59Z', 200)]);
    await one.flush();
    await other.flush();
    expect(await hours.lastAttempts([webhookId, newId('wh')])).toEqual([
      {
        webhook_id: webhookId,
        delivery_id: last.deliveryId,
        at: new Date('2030-01-01T11:30:00Z'),
        result: 'http_500',
      },
    ]);
  });

  it('count the events that its filter dropped, in hours without an attempt too', async () => {
    const { userId } = await newJob();
    const webhookId = newId('wh');
    const hours = webhookHours(database().pool);
    const counting = tally(hours.add);
    const event = eventOf(userId, { at: new Date('2030-01-01T10:30:00Z') });
    const taken = { event, deliveries: [], isRepeat: false };
    const verdicts = { [webhookId]: 'filtered', [newId('wh')]: 'kind_not_selected' } as const;
    counting.countFiltered([
      { ...taken, verdicts, filtered: 1 },
      { ...taken, verdicts: { [webhookId]: 'pending' }, filtered: 0 },
      { ...taken, verdicts, filtered: 1 },
    ]);
    await counting.flush();
    expect(await hours.hours([webhookId], SPAN)).toMatchObject([
      { filtered: 2, succeeded: 0, failed: 0 },
    ]);
    expect(await hours.lastAttempts([webhookId])).toEqual([]);
  });

  it('lose nothing to a database that is away for a while', async () => {
    const job = await newJob();
    const hours = webhookHours(database().pool);
    let isAway = true;
    const counting = tally(async (counted) => {
      if (isAway) throw new Error('The database is away.');
      await hours.add(counted);
    });
    counting.count([at(job, '2030-01-01T10:00:00Z', 200)]);
    await expect(counting.flush()).rejects.toThrow('away');
    counting.count([at(job, '2030-01-01T10:00:01Z', 500)]);
    isAway = false;
    await counting.flush();
    expect(await hours.hours([job.webhookId], SPAN)).toMatchObject([{ succeeded: 1, failed: 1 }]);
    expect(await hours.marksOfEach([job.webhookId])).toEqual(new Map([[job.webhookId, '1x']]));
  });
});

describe('the statistics of several webhooks', () => {
  it('are read at once, nothing of others among them, with what waits', async () => {
    const [one, other, stranger] = [await newJob(), await newJob(), await newJob()];
    const hours = webhookHours(database().pool);
    const { unsent, unsentOfEach } = unsentCounts(database().pool);
    const counting = tally(hours.add);
    counting.count([one, other, stranger].map((job) => at(job, '2030-01-01T10:00:00Z', 200)));
    await counting.flush();
    const ids = [one.webhookId, other.webhookId];
    const each = await hours.hoursOfEach(ids, SPAN);
    expect(each.map(({ webhookId }) => webhookId).sort()).toEqual(ids.sort());
    const [summed, ...others] = await hours.hours(ids, SPAN);
    expect(others).toEqual([]);
    expect(summed).toMatchObject({ hour: FROM, succeeded: 2, failed: 0, filtered: 0 });
    expect(summed?.latency).toEqual(sumCounts(each.map(({ latency }) => latency)));
    expect(await unsent(ids)).toEqual({ waiting: 2, held: 0 });
    expect(await hours.hours([], SPAN)).toEqual([]);
    expect(await unsent([])).toEqual({ waiting: 0, held: 0 });
    expect(await unsentOfEach(ids)).toEqual(
      new Map(ids.map((id) => [id, { waiting: 1, held: 0 }])),
    );
    expect(await unsentOfEach([])).toEqual(new Map());
  });

  it('count what is held, until it is sent again or turns out to have succeeded', async () => {
    const { job, epoch, takeOne, again, openSealed, writing } = await delivering(database());
    const { webhookId } = job;
    const { unsent, unsentOfEach } = unsentCounts(database().pool);
    const listed = async (status: DeliveryStatus[]) => {
      const { page } = deliveryLog(database().pool, openSealed);
      const filter = { limit: 10, status, sent_again: false };
      return (await page([webhookId], filter)).items.map(({ delivery_id }) => delivery_id);
    };
    const jobs = [job, await takeOne(), await takeOne()];
    const hold = async () =>
      database().pool.query(
        `with held as (delete from pending where webhook_id = $1 returning day, delivery_id)
         insert into outcomes (day, delivery_id, webhook_id, status, at)
         select day, delivery_id, $1, 'held', now() from held`,
        [toStoredId(webhookId)],
      );
    await hold();
    expect(await unsent([webhookId])).toEqual({ waiting: 0, held: 3 });
    expect(await listed(['held'])).toEqual(jobs.map(({ deliveryId }) => deliveryId).toReversed());

    const second = await again(webhookId, job.deliveryId);
    await hold();
    expect(await unsent([webhookId])).toEqual({ waiting: 0, held: 3 });
    expect(await listed(['held'])).toContain(second);
    await again(webhookId, second ?? '');
    const succeeded = { type: 'delivery.succeeded', data: { attempt: 1 } } as const;
    const late = resultOf(jobs[1] ?? job, epoch, succeeded);
    await writeResults(database().pool, writing, [late]);
    expect(await unsent([webhookId])).toEqual({ waiting: 1, held: 1 });
    expect(await unsentOfEach([webhookId])).toEqual(
      new Map([[webhookId, { waiting: 1, held: 1 }]]),
    );
    expect(await listed(['held'])).toEqual([jobs[2]?.deliveryId]);
    expect(await listed(['pending', 'retrying'])).toHaveLength(1);
  });

  it('count what is held without a look at what was sent again, however much that is', async () => {
    const { pool } = database();
    const { webhookId } = await newJob();
    const stored = toStoredId(webhookId);
    const [many, left] = [2_000, 3];
    await pool.query(
      `insert into outcomes (day, delivery_id, webhook_id, status, at)
       select now(), uuidv7(), $1, 'held', now() from generate_series(1, $2)`,
      [stored, many],
    );
    const held = async (db: Pool) => (await unsentCounts(db).unsent([webhookId])).held;
    expect(await held(pool)).toBe(many);
    await pool.query(
      `insert into redeliveries (original_id, delivery_id, day, user_id)
       select delivery_id, uuidv7(), day, $1 from outcomes where webhook_id = $1 limit $2`,
      [stored, many - left],
    );
    expect(await held(pool)).toBe(left);
    const read = await tablesRead(pool, held);
    expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBe(left);
  });
});

const newJob = async (): Promise<Job> => (await delivering(database())).job;

const at = (job: Job, time: string, status: number) =>
  resultOf(
    job,
    '1',
    { type: 'delivery.succeeded', data: { attempt: 1 } },
    answered(status, { startedAt: new Date(time) }),
  );

const refused = (job: Job) =>
  resultOf(
    job,
    '1',
    { type: 'delivery.refused', data: { attempt: 1, reason: 'url_private_address' } },
    answered(0, {
      startedAt: new Date('2030-01-01T10:00:00Z'),
      outcome: { kind: 'refused', reason: 'url_private_address' },
    }),
  );
