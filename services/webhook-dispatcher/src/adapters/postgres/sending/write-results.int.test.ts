import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { rowsRead, useDatabase } from '@junction/testing';
import {
  answered,
  delivering as deliveringOn,
  eventOf,
  logOf,
  onPostgres,
  resultOf,
} from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { Job } from '../../../application/job.js';
import type { ReplaySpan } from '../../../application/replaying/ports.js';
import type { DeliveryEvent } from '../../../domain/delivery/events.js';
import { countReplay } from '../replaying/count-replay.js';
import { toStoredId } from '../stored-id.js';
import { loadTargets } from '../webhooks/targets.js';
import { dueWork } from './due-work.js';
import { shardLeases } from './shard-leases.js';
import { writeResults } from './write-results.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('the result of an attempt', () => {
  it('ends a delivery that succeeded, once however often it is written', async () => {
    const { job, epoch, writing } = await delivering();
    const result = resultOf(job, epoch, succeeded);
    for (let n = 0; n < 2; n++) {
      const written = await writeResults(database().pool, writing, [result]);
      expect(written).toEqual([result]);
    }
    expect(await log(job)).toMatchObject({
      status: 'succeeded',
      attempt_count: 1,
      log: [{ attempt: 1, result: 'succeeded', response_status: 200, response_sample: 'thanks' }],
    });
    expect(await due(job)).toEqual([]);
  });

  it('stays the last word when the webhook was disabled before it was written', async () => {
    const { job, epoch, writing, handle } = await delivering();
    const accepted = answered(200, { startedAt: new Date(Date.now() - 5_000) });
    await handle(job.webhookId, {
      type: 'DisableWebhook',
      data: { reason: 'gone_410', at: new Date().toISOString() },
    });
    expect(await log(job)).toMatchObject({ status: 'held' });
    await writeResults(database().pool, writing, [resultOf(job, epoch, succeeded, accepted)]);
    expect(await log(job)).toMatchObject({ status: 'succeeded', reason: null });

    const count = countReplay(database().pool);
    const span = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 1) };
    const of = (outcomes: ReplaySpan['outcomes']) => count(job.webhookId, { ...span, outcomes });
    expect((await of(['held'])).count).toBe(0);
    expect((await of(['held', 'succeeded'])).count).toBe(1);
  });

  it('puts the next attempt off by no less than it says', async () => {
    const { job, epoch, writing } = await delivering();
    const failed = retryIn(300);
    const before = Date.now();
    await writeResults(database().pool, writing, [resultOf(job, epoch, failed, answered(500))]);

    const delivery = await log(job);
    expect(delivery).toMatchObject({ status: 'retrying', reason: 'http_500', attempt_count: 1 });
    expect(delivery.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(before + 300);
    expect(await due(job)).toEqual([]);
    await database().pool.query(
      `update pending set next_at = next_at - interval '300 ms' where webhook_id = $1`,
      [toStoredId(job.webhookId)],
    );
    expect(await due(job)).toMatchObject([{ attempt: 2, body: job.body }]);
  });

  it('is filed under the time it was signed with, and its delivery ends when it ended', async () => {
    const { job, epoch, writing } = await delivering();
    const startedAt = new Date('2030-01-02T03:04:05.999Z');
    const record = answered(200, { startedAt, totalMs: 2_000 });
    await writeResults(database().pool, writing, [resultOf(job, epoch, succeeded, record)]);
    expect(await log(job)).toMatchObject({
      body: job.body,
      ended_at: new Date('2030-01-02T03:04:07.999Z'),
      log: [{ at: startedAt }],
    });
  });

  it('does not count when another replica has taken the shard', async () => {
    const { job, epoch, writing } = await delivering();
    await shardLeases(database().pool, writing.owner).shardLeases.leave();
    await shardLeases(database().pool, 'another').shardLeases.hold([job.shard]);
    const result = resultOf(job, epoch, succeeded);
    expect(await writeResults(database().pool, writing, [result])).toEqual([]);
    expect(await log(job)).toMatchObject({ status: 'pending', attempt_count: 0, log: [] });
  });

  it('keeps the response sealed', async () => {
    const { job, epoch, writing } = await delivering();
    await writeResults(database().pool, writing, [resultOf(job, epoch, succeeded)]);
    const { rows } = await database().pool.query<{ answer: Buffer; key_id: string }>(
      'select answer, key_id from attempts where delivery_id = $1',
      [toStoredId(job.deliveryId)],
    );
    expect(rows[0]?.key_id).toBe('user');
    expect(rows[0]?.answer.includes('thanks')).toBe(false);
  });

  it('is sealed without a look for the key when the events of its user came here', async () => {
    const { job, epoch, writing, unlock } = await delivering();
    const found: unknown[] = [];
    const heard: typeof unlock = (subjects, tx, known) => {
      found.push(subjects.map((subject) => known?.has(subject)));
      return unlock(subjects, tx, known);
    };
    const result = resultOf(job, epoch, succeeded);
    await writeResults(database().pool, { ...writing, unlock: heard }, [result]);
    expect(found).toEqual([[true]]);
    expect(await log(job)).toMatchObject({ log: [{ response_sample: 'thanks' }] });
  });

  it('is written without a look at what else waits, also by statistics that found nothing', async () => {
    const { takeIn, job, epoch, writing } = await delivering();
    const { pool } = database();
    await pool.query('delete from pending');
    await pool.query('analyze pending');
    const jobs = await takeIn(Array.from({ length: 1_000 }, () => eventOf(job.userId)));
    const results = jobs
      .slice(0, 100)
      .map((one, n) => resultOf(one, epoch, n % 2 === 0 ? succeeded : retryIn(60_000)));

    const read = await inTransaction(pool, async (tx) =>
      rowsRead(tx, 'pending', async () => {
        expect(await writeResults(tx, writing, results)).toHaveLength(100);
      }),
    );
    expect(read).toBeGreaterThanOrEqual(100);
    expect(read).toBeLessThanOrEqual(300);
  });
});

describe('a webhook whose attempts fail', () => {
  it('is remembered since its first failure, until one succeeds', async () => {
    const { job, epoch, writing, takeOne } = await delivering();
    const [second, third] = [await takeOne(), await takeOne()];
    const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute));
    const write = async (one: Job, fact: DeliveryEvent, startedAt: Date) => {
      const record = answered(fact === succeeded ? 200 : 500, { startedAt });
      await writeResults(database().pool, writing, [resultOf(one, epoch, fact, record)]);
    };
    expect(await isLoadedAsFailing(job)).toBe(false);
    await write(job, retryIn(60_000), at(0));
    expect(await isLoadedAsFailing(job)).toBe(true);
    await write(second, retryIn(60_000), at(30));
    expect(await failing(job)).toEqual([{ since: at(0), last_at: at(0) }]);
    await write(second, retryIn(60_000), at(61));
    expect(await failing(job)).toEqual([{ since: at(0), last_at: at(61) }]);
    await write(third, succeeded, at(62));
    expect(await failing(job)).toEqual([]);
  });

  it('is well when one of a batch succeeded', async () => {
    const { job, epoch, writing, takeOne } = await delivering();
    const second = await takeOne();
    await writeResults(database().pool, writing, [
      resultOf(job, epoch, retryIn(60_000), answered(500)),
      resultOf(second, epoch, succeeded),
    ]);
    expect(await failing(job)).toEqual([]);
  });
});

const succeeded: DeliveryEvent = { type: 'delivery.succeeded', data: { attempt: 1 } };

const retryIn = (delayMs: number): DeliveryEvent => ({
  type: 'delivery.attempt_failed',
  data: { attempt: 1, reason: 'http_500', delayMs },
});

const delivering = () => deliveringOn(database());
const log = (job: Job) => logOf(database(), job);

async function due(job: Job) {
  const { openSealed } = onPostgres(database());
  const query = { shards: [], epochs: [], exceptWebhooks: [], exceptDeliveries: [], limit: 100 };
  const read = dueWork(database().pool, openSealed);
  const { jobs } = await read({ ...query, webhookIds: [job.webhookId] });
  return jobs.filter(({ deliveryId }) => deliveryId === job.deliveryId);
}

async function failing({ webhookId }: Job) {
  const { rows } = await database().pool.query<{ since: Date; last_at: Date }>(
    'select since, last_at from failing_webhooks where webhook_id = $1',
    [toStoredId(webhookId)],
  );
  return rows;
}

/** Loads the webhook as a replica does that takes its shard over. */
async function isLoadedAsFailing({ webhookId }: Job) {
  const { vault } = onPostgres(database());
  const load = loadTargets(database().pool, vault, (error) => {
    throw error;
  });
  return (await load([webhookId])).get(webhookId)?.isFailing;
}
