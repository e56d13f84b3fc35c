import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { answered, delivering, logOf, onPostgres, resultOf } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { Job, Result } from '../../../application/job.js';
import type { DeliveryEvent } from '../../../domain/delivery/events.js';
import { writeApart } from './write-apart.js';
import { writeResults } from './write-results.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('a result that cannot be a row', () => {
  const unstorable: readonly [string, (result: Result) => Result][] = [
    ['a number that is none', (one) => withRecord(one, { totalMs: Number.NaN })],
    ['a time that is none', (one) => withRecord(one, { startedAt: new Date(Number.NaN) })],
    ['a text with U+0000', (one) => withRecord(one, { result: 'http_\u0000' })],
    ['a day of another country', (one) => ({ ...one, job: { ...one.job, day: '25.11.2026' } })],
  ];

  it.each(unstorable)('leaves those beside it as they are: %s', async (_, spoilt) => {
    const { jobs, write, errors, result } = await writing();
    const results = jobs.map((job) =>
      result(job, { type: 'delivery.succeeded', data: { attempt: 1 } }),
    );
    for (const bad of jobs.keys()) {
      await write(results.map((one, index) => (index === bad ? spoilt(one) : one)));
    }
    for (const job of jobs) {
      expect(await logOf(database(), job)).toMatchObject({ status: 'succeeded', attempt_count: 1 });
    }
    expect(errors).toHaveLength(jobs.length);
  });

  it('says of its delivery what became of it, and nothing of the attempt', async () => {
    const { jobs, write, errors, result } = await writing();
    const facts: readonly DeliveryEvent[] = [
      { type: 'delivery.succeeded', data: { attempt: 1 } },
      { type: 'delivery.exhausted', data: { attempt: 1, reason: 'http_500', gone: false } },
      { type: 'delivery.attempt_failed', data: { attempt: 1, reason: 'http_500', delayMs: 1 } },
    ];
    const earliest = Date.now();
    await write(
      facts.flatMap((fact, index) => {
        const job = jobs[index];
        return job ? [withRecord(result(job, fact), { totalMs: Number.NaN })] : [];
      }),
    );
    const [first, second, third] = await Promise.all(jobs.map((job) => logOf(database(), job)));
    expect(first).toMatchObject({ status: 'succeeded', reason: null, log: [] });
    expect(second).toMatchObject({ status: 'exhausted', reason: 'result_not_stored', log: [] });
    expect(third).toMatchObject({ status: 'retrying', log: [] });
    expect(third?.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(earliest + 300_000);
    expect(errors.map(String)).toEqual(
      jobs.map(({ deliveryId }) => `Error: The result of ${deliveryId} cannot be stored.`),
    );
  });

  it('waits like the others while Postgres is away', async () => {
    const { jobs, errors, apart, result } = await writing();
    const away = Object.assign(new Error('away'), { code: '57P03' });
    const write = apart(async () => {
      throw away;
    });
    const [job] = jobs;
    const spoilt = withRecord(result(job, { type: 'delivery.succeeded', data: { attempt: 1 } }), {
      totalMs: Number.NaN,
    });
    await expect(write([spoilt])).rejects.toBe(away);
    expect(errors).toEqual([]);
    expect(await logOf(database(), spoilt.job)).toMatchObject({ status: 'pending' });
  });
});

const withRecord = (result: Result, parts: Partial<Result['record']>): Result => ({
  ...result,
  record: { ...result.record, ...parts },
});

/** Three deliveries, and the right to send them. */
async function writing() {
  const { takeOne, job, epoch, writing: keys } = await delivering(database());
  const errors: unknown[] = [];
  const apart = writeApart(database().pool, keys.owner, (error) => void errors.push(error));
  return {
    jobs: [job, await takeOne(), await takeOne()] as const,
    errors,
    apart,
    write: apart(async (results) => void (await writeResults(database().pool, keys, results))),
    result: (of: Job, fact: DeliveryEvent) =>
      resultOf(of, epoch, fact, answered(fact.type === 'delivery.succeeded' ? 200 : 500)),
  };
}
