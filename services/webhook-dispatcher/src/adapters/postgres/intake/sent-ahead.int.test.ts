import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
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
import { intakeRows } from './intake-rows.js';

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

/** An intake whose deliveries are all accepted at once, before they are filed. */
async function sendingAhead() {
  const service = await delivering(database());
  const { unlock, index, job } = service;

  const take = async (events: readonly IncomingEvent[]) => {
    const results: Result[] = [];
    const written: Result[] = [];
    const { prepare, file } = intake({
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
    const afterCommit = await inTransaction(pool, (tx) =>
      file(intakeRows(tx, { unlock, index }, new Date('2030-01-01T12:00:00Z')), takenOf(claimed)),
    );
    afterCommit();
    const [first, ...more] = results.map((result) => result.job);
    if (first === undefined) throw new Error('Nothing was sent.');
    return { jobs: [first, ...more] as const, written };
  };
  return { ...service, take, logs: async () => job };
}
