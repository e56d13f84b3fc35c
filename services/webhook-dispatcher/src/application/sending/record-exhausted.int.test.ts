import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import {
  noticesTo as allNoticesTo,
  answered,
  delivering as deliveringOn,
  logOf,
  onPostgres,
  resultOf,
} from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { toStoredId } from '../../adapters/postgres/stored-id.js';
import type { DeliveryEvent } from '../../domain/delivery/events.js';
import type { Job, Result } from '../job.js';
import { recordExhausted, recordGone, recordRefused } from './record-exhausted.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('a delivery that is exhausted', () => {
  it('is published with its result, together with others', async () => {
    const { job, epoch, unitOfWork, takeOne } = await delivering();
    const [second, elsewhere] = [await takeOne(), await takeOne()];
    const of = (one: Job, under: string) => resultOf(one, under, FAILED, answered(500));
    const results = [of(job, epoch), of(second, epoch), of(elsewhere, '0')];
    // Results are written again when the answer of the first write was lost.
    for (let n = 0; n < 2; n++) {
      const written = await recordExhausted({ unitOfWork })(results);
      expect(written).toEqual(results.slice(0, 2));
    }

    for (const one of [job, second]) {
      expect(await log(one)).toMatchObject({ status: 'exhausted', reason: 'http_500' });
    }
    expect(await log(elsewhere)).toMatchObject({ status: 'pending' });
    const records = await told(job);
    expect(new Set(records.map(({ headers }) => headers.ce_id)).size).toBe(2);
    expect(records[0]).toMatchObject({ aggregateid: job.webhookId, type: 'delivery.exhausted' });
    expect(JSON.parse(records[0]?.payload.toString() ?? '')).toMatchObject({
      webhookId: job.webhookId,
      deliveryId: job.deliveryId,
      messageId: job.messageId,
      attempts: 1,
      reason: 'http_500',
    });
    // Each notice is there twice, and its reader drops the second.
    expect(await noticesTo(job.userId)).toEqual(Array(4).fill('webhook.exhausted'));
  });

  it('notifies its owner, unless it was itself a notice', async () => {
    const { job, epoch, unitOfWork } = await delivering();
    const notice = { ...job, kind: 'webhook.recovered' };
    await recordExhausted({ unitOfWork })([resultOf(notice, epoch, FAILED, answered(500))]);
    expect(await told(job)).toHaveLength(1);
    expect(await noticesTo(job.userId)).toEqual([]);
  });
});

describe('a delivery whose receiver is gone', () => {
  it('disables its webhook, holds what waits for it, and notifies its owner', async () => {
    const { job, epoch, takeOne, recordGone } = await delivering();
    const waiting = await takeOne();
    const result = resultOf(job, epoch, GONE, answered(410));
    expect(await recordGone(result)).toEqual([result]);

    expect(await webhookOf(job)).toEqual({ status: 'disabled', disabled_reason: 'gone_410' });
    expect(await log(job)).toMatchObject({ status: 'exhausted' });
    expect(await log(waiting)).toMatchObject({ status: 'held' });
    expect(await noticesTo(job.userId)).toEqual(['webhook.disabled', 'webhook.exhausted']);
  });

  it('only fails when its webhook has changed since it was asked', async () => {
    const { job, epoch, recordGone } = await delivering();
    const otherwise = {
      type: 'delivery.attempt_failed',
      data: { attempt: 1, reason: 'http_410', delayMs: 5_000 },
    } as const;
    const parts = { version: 0, otherwise };
    await recordGone(resultOf(job, epoch, GONE, answered(410), parts));
    expect(await log(job)).toMatchObject({ status: 'retrying' });
    expect(await webhookOf(job)).toMatchObject({ status: 'active' });
    expect(await noticesTo(job.userId)).toEqual([]);
  });

  it('disables its webhook without a notice when it was itself a notice', async () => {
    const { job, epoch, recordGone } = await delivering();
    const notice = { ...job, kind: 'webhook.recovered' };
    await recordGone(resultOf(notice, epoch, GONE, answered(410)));
    expect(await webhookOf(job)).toMatchObject({ disabled_reason: 'gone_410' });
    expect(await noticesTo(job.userId)).toEqual([]);
  });

  it('changes nothing when another replica has taken the shard', async () => {
    const { job, recordGone } = await delivering();
    expect(await recordGone(resultOf(job, '0', GONE, answered(410)))).toEqual([]);
    expect(await told(job)).toEqual([]);
    expect(await log(job)).toMatchObject({ status: 'pending' });
    expect(await webhookOf(job)).toMatchObject({ status: 'active' });
  });
});

describe('an attempt that the egress guard refused', () => {
  const REFUSED = {
    outcome: { kind: 'refused', reason: 'url_private_address' },
    result: 'url_private_address',
    httpStatus: null,
  } as const;
  const again = (attempt: number): DeliveryEvent => ({
    type: 'delivery.attempt_failed',
    data: { attempt, reason: 'url_private_address', delayMs: 0 },
  });

  it('is tried again, and its owner is notified of the first', async () => {
    const { job, epoch, unitOfWork } = await delivering();
    const refuse = async (attempt: number) =>
      recordRefused({ unitOfWork })([
        resultOf({ ...job, attempt }, epoch, again(attempt), answered(500, REFUSED)),
      ]);
    await refuse(1);
    await refuse(2);
    expect(await log(job)).toMatchObject({ status: 'retrying' });
    expect(await noticesTo(job.userId)).toEqual(['webhook.refused']);
    const { rows } = await database().pool.query<object>(
      'select reason from failing_webhooks where webhook_id = $1',
      [toStoredId(job.webhookId)],
    );
    expect(rows).toEqual([{ reason: 'url_private_address' }]);
  });

  it('ends the delivery when it was the last attempt, and notifies its owner of that too', async () => {
    const { job, epoch, unitOfWork } = await delivering();
    const fact: DeliveryEvent = {
      type: 'delivery.refused',
      data: { attempt: 1, reason: 'url_private_address' },
    };
    await recordRefused({ unitOfWork })([resultOf(job, epoch, fact, answered(500, REFUSED))]);
    expect(await log(job)).toMatchObject({ status: 'refused' });
    expect(await noticesTo(job.userId)).toEqual(['webhook.exhausted', 'webhook.refused']);
  });
});

const exhausted = (reason: string, gone: boolean): DeliveryEvent => ({
  type: 'delivery.exhausted',
  data: { attempt: 1, reason, gone },
});
const FAILED = exhausted('http_500', false);
const GONE = exhausted('gone_410', true);

async function delivering() {
  const service = await deliveringOn(database());
  const { unitOfWork, job } = service;
  const changed: object[] = [];
  const webhookChanged = (webhook: object) => void changed.push(webhook);
  return {
    ...service,
    async recordGone(result: Result) {
      const written = await recordGone({ unitOfWork, webhookChanged })(result);
      expect(changed).toEqual([{ webhookId: job.webhookId, userId: job.userId }]);
      return written;
    },
  };
}

const log = (job: Job) => logOf(database(), job);

const noticesTo = async (userId: string) =>
  (await allNoticesTo(database(), userId)).map(({ type }) => type);

async function webhookOf({ webhookId }: Job) {
  const { rows } = await database().pool.query<object>(
    'select status, disabled_reason from webhooks where webhook_id = $1',
    [toStoredId(webhookId)],
  );
  return rows[0];
}

async function told(job: Job) {
  const { rows } = await database().pool.query<{
    aggregateid: string;
    type: string;
    headers: { readonly ce_id: string };
    payload: Buffer;
  }>(`select * from outbox where type = 'delivery.exhausted' and aggregateid = $1`, [
    job.webhookId,
  ]);
  return rows;
}
