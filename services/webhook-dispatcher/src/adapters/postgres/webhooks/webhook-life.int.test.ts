import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { eventually, useDatabase } from '@junction/testing';
import type pg from 'pg';
import { waitingForLocks } from '../../../../test/ended-deliveries.js';
import {
  answered,
  dispatcherSchema,
  eventOf,
  onPostgres,
  resultOf,
} from '../../../../test/on-postgres.js';
import type { AttemptRecord, Job } from '../../../application/dispatch/job.js';
import type { DeliveryEvent } from '../../../domain/delivery/events.js';
import type { WebhookCommand } from '../../../domain/webhook/decider.js';
import { orderedWork } from '../sending/ordered-work.js';
import { loadTargets } from '../sending/targets.js';
import { writeResults } from '../sending/write-results.js';
import { toStoredId } from '../stored-id.js';
import { disableFailing } from './failing-webhooks.js';
import { removeExpiredSecrets } from './webhook-secrets.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

const DAY_MS = 24 * 3_600_000;
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

const ATTEMPT_FAILED: DeliveryEvent = {
  type: 'delivery.attempt_failed',
  data: { attempt: 1, reason: 'http_500', delayMs: DAY_MS },
};
const EXHAUSTED: DeliveryEvent = {
  type: 'delivery.exhausted',
  data: { attempt: 1, reason: 'http_500', gone: false },
};

describe('the webhooks of a user', () => {
  it('are as many as allowed and no more, also when they are made at the same time', async () => {
    const { newWebhook } = onPostgres(database(), 3);
    const { userId } = await newWebhook();
    const made = await Promise.allSettled(Array.from({ length: 7 }, () => newWebhook(userId)));
    const refused = made.filter((one) => one.status === 'rejected');
    expect(refused.map(({ reason }) => reason)).toMatchObject(
      Array.from({ length: 5 }, () => ({ kind: 'conflict', code: 'webhook_limit_reached' })),
    );
    const { rows } = await database().pool.query('select 1 from webhooks where user_id = $1', [
      userId,
    ]);
    expect(rows).toHaveLength(3);
    await expect(newWebhook()).resolves.toBeDefined();
  });
});

describe('the secret of a webhook', () => {
  it('signs beside the one before it for as long as the rotation says', async () => {
    const { webhookId, handle } = await webhook();
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'one' });
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'two' });
    expect(await textsOf(webhookId)).toEqual(['two', 'one']);
    // The earlier of two ends counts.
    await handle(webhookId, rotate(fromNow(-1)), { secret: 'three' });
    expect(await textsOf(webhookId)).toEqual(['three']);
    await removeExpiredSecrets(database().pool);
    expect(await countOf('webhook_secrets', webhookId)).toBe(1);
  });

  it('is one of five at most, however often it is rotated', async () => {
    const { webhookId, handle } = await webhook();
    for (let n = 1; n <= 7; n++) {
      await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: `s${n}` });
    }
    expect(await textsOf(webhookId)).toEqual(['s7', 's6', 's5', 's4', 's3']);
  });

  it('that is set ends all others, and that is removed all', async () => {
    const { webhookId, handle } = await webhook();
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'one' });
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'two' });
    await handle(webhookId, change({ secret: 'set' }), { secret: 'three' });
    expect(await textsOf(webhookId)).toEqual(['three']);
    await handle(webhookId, change({ secret: 'remove' }));
    expect(await textsOf(webhookId)).toEqual([]);
    expect(await countOf('webhook_secrets', webhookId)).toBe(0);
  });
});

describe('the headers of a webhook', () => {
  it('lie sealed, and go with the requests', async () => {
    const { webhookId, handle } = await webhook();
    const headers = { 'X-Api-Key': 'very secret' };
    const options = { headerNames: Object.keys(headers) };
    await handle(webhookId, change({ options }), { headers });
    expect((await target(webhookId))?.headers).toEqual(headers);

    const { rows } = await database().pool.query<{ stored: string }>(
      `select (select string_agg(encode(sealed, 'escape'), '') from webhook_headers)
           || (select string_agg(data::text, '') from events) as stored`,
    );
    expect(rows[0]?.stored).toContain('X-Api-Key');
    expect(rows[0]?.stored).not.toContain('very secret');

    await handle(webhookId, change({ options: { headerNames: [] } }), { headers: {} });
    expect((await target(webhookId))?.headers).toBeUndefined();
    expect(await countOf('webhook_headers', webhookId)).toBe(0);
  });

  it('are waited for: without them nothing is sent', async () => {
    const { webhookId, handle } = await webhook();
    const headers = { 'X-Api-Key': 'k' };
    await handle(webhookId, change({ options: { headerNames: ['X-Api-Key'] } }), { headers });
    await database().pool.query('delete from webhook_headers where webhook_id = $1', [webhookId]);
    expect((await target(webhookId))?.status).toBe('paused');
  });
});

describe('a webhook that only fails', () => {
  it('is disabled after five days, with its reason and its time, and its owner told', async () => {
    const { webhookId, userId, handle } = await webhook();
    const young = await webhook();
    await failing(webhookId, 6, 1);
    await failing(young.webhookId, 4.9, 0);
    const at = new Date();
    expect(await disableFailing(database().pool, handle, at)).toEqual([webhookId]);
    expect(await rowOf(webhookId)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
      disabled_at: at,
    });
    expect(await rowOf(young.webhookId)).toMatchObject({ status: 'active' });
    expect(await disableFailing(database().pool, handle, at)).toEqual([]);
    expect(await noticesTo(userId)).toEqual([
      { webhook_id: webhookId, occurred_at: at.toISOString(), reason: 'failing' },
    ]);
  });

  it.each([
    ['only notices failed, and some may yet succeed', { notice: ATTEMPT_FAILED }, 0],
    ['only notices failed, for good', { notice: EXHAUSTED }, 0],
    ['an event failed too', { notice: EXHAUSTED, event: ATTEMPT_FAILED }, 1],
    ['an event failed too, for good', { notice: ATTEMPT_FAILED, event: EXHAUSTED }, 1],
    ['only an event failed', { event: EXHAUSTED }, 1],
  ] as const)(
    'is told when an event failed there, and not by notices alone: %s',
    async (_, facts, told) => {
      const { webhookId, userId, handle, takeIn, write } = await webhook();
      await handle(webhookId, change({ events: ['draft.created', 'integration.connected'] }));
      for (const [what, fact] of Object.entries(facts)) {
        const kind = what === 'notice' ? 'integration.connected' : 'draft.created';
        const [job] = await takeIn([eventOf(userId, { kind })]);
        await write(job, fact, answered(500));
      }
      await failing(webhookId, 6, 0);
      expect(await disableFailing(database().pool, handle, new Date())).toEqual([webhookId]);
      expect(await rowOf(webhookId)).toMatchObject({ disabled_reason: 'failing' });
      expect(await noticesTo(userId)).toHaveLength(told);
    },
  );

  it('is disabled by notices alone though an event had failed before it last succeeded', async () => {
    const { webhookId, userId, handle, takeIn, write } = await webhook();
    await handle(webhookId, change({ events: ['draft.created', 'integration.connected'] }));
    const startedAt = new Date(Date.now() - 8 * DAY_MS);
    const [job] = await takeIn([eventOf(userId)]);
    await write(job, EXHAUSTED, answered(500, { startedAt }));
    const [notice] = await takeIn([eventOf(userId, { kind: 'integration.connected' })]);
    await write(notice, ATTEMPT_FAILED, answered(500));
    await failing(webhookId, 6, 0);
    expect(await disableFailing(database().pool, handle, new Date())).toEqual([webhookId]);
    expect(await noticesTo(userId)).toEqual([]);
  });

  it('is not when the last of it is long ago, or nothing was tried since the first', async () => {
    const { webhookId, handle } = await webhook();
    await failing(webhookId, 7, 7);
    expect(await disableFailing(database().pool, handle, new Date())).toEqual([]);
    await failing(webhookId, 20, 11);
    expect(await disableFailing(database().pool, handle, new Date())).toEqual([]);
    expect(await rowOf(webhookId)).toMatchObject({ status: 'active' });
  });

  it('is not when an attempt goes well while it is being disabled', async () => {
    const { webhookId, userId, handle, takeIn, write } = await webhook();
    await failing(webhookId, 6, 0);
    const [job] = await takeIn([eventOf(userId)]);
    const disabling = await inTransaction(database().pool, async (tx) => {
      await write(job, { type: 'delivery.succeeded', data: { attempt: 1 } }, answered(200), tx);
      const found = disableFailing(database().pool, handle, new Date());
      found.catch(() => undefined);
      await eventually(async () => expect(await waitingForLocks(database())).toBe(1));
      return { found };
    });
    expect(await disabling.found).toEqual([]);
    expect(await rowOf(webhookId)).toMatchObject({ status: 'active' });
    expect(await noticesTo(userId)).toEqual([]);
  });

  it('locks nothing that waits until it is sure that all failed, as who writes results does', async () => {
    const { webhookId, userId, handle, takeIn, write } = await webhook();
    await failing(webhookId, 6, 0);
    const [job] = await takeIn([eventOf(userId), eventOf(userId)]);
    const disabling = await inTransaction(database().pool, async (tx) => {
      await write(job, { type: 'delivery.succeeded', data: { attempt: 1 } }, answered(200), tx);
      const found = disableFailing(database().pool, handle, new Date());
      found.catch(() => undefined);
      await eventually(async () => expect(await waitingForLocks(database())).toBe(1));
      const { rowCount } = await tx.query(
        'select from pending where webhook_id = $1 for update nowait',
        [toStoredId(webhookId)],
      );
      expect(rowCount).toBe(1);
      return { found };
    });
    expect(await disabling.found).toEqual([]);
  });

  it.each([
    ['moved', [{ url: 'https://elsewhere.example/' }]],
    ['enabled again', [{ enabled: false }, { enabled: true }]],
  ])('begins anew when it was %s', async (_, changes) => {
    const { webhookId, handle } = await webhook();
    await failing(webhookId, 6, 0);
    for (const one of changes) await handle(webhookId, change(one));
    expect(await disableFailing(database().pool, handle, new Date())).toEqual([]);
  });
});

describe('what waits for an ordered webhook', () => {
  it('is read from its oldest on, up to the first that is not due', async () => {
    const { userId, webhookId, takeIn, read } = await webhook({ ordered: true });
    expect((await read([webhookId])).size).toBe(0);
    const jobs = await takeIn(Array.from({ length: 4 }, () => eventOf(userId)));
    const ids = jobs.map(({ deliveryId }) => deliveryId);
    expect(idsOf(await read([webhookId]), webhookId)).toEqual(ids);

    await putOff(ids[2]);
    expect(idsOf(await read([webhookId]), webhookId)).toEqual(ids.slice(0, 2));
    await putOff(ids[0]);
    const head = (await read([webhookId])).get(webhookId);
    expect(head?.jobs).toEqual([]);
    expect(head?.waitMs).toBeGreaterThan(0);
  });

  it('is read of each webhook by itself', async () => {
    const one = await webhook({ ordered: true });
    const two = await webhook({ ordered: true });
    const [first] = await one.takeIn([eventOf(one.userId)]);
    const [second] = await two.takeIn([eventOf(two.userId)]);
    const work = await one.read([one.webhookId, two.webhookId]);
    expect(idsOf(work, one.webhookId)).toEqual([first?.deliveryId]);
    expect(idsOf(work, two.webhookId)).toEqual([second?.deliveryId]);
    expect(first?.body.equals(work.get(one.webhookId)?.jobs[0]?.body ?? Buffer.of())).toBe(true);
  });
});

describe('an event that a filter does not let pass', () => {
  it('is filed as filtered and not delivered', async () => {
    const filter = JSON.stringify({ path: 'a', equals: 2 });
    const { userId, webhookId, takeIn } = await webhook({ filter });
    const event = eventOf(userId);
    expect(await takeIn([event])).toEqual([]);
    expect(await takeIn([eventOf(userId, { data: Buffer.from('{"a":2.0}') })])).toHaveLength(1);
    const { rows } = await database().pool.query<{ verdicts: object }>(
      'select verdicts from seen_events where message_id = $1',
      [toStoredId(event.messageId)],
    );
    expect(rows).toEqual([{ verdicts: { [webhookId]: 'filtered' } }]);
  });
});

async function webhook(options = {}) {
  const service = onPostgres(database());
  const made = await service.newWebhook(undefined, undefined, options);
  const { unlock, index } = service;
  return {
    ...service,
    ...made,
    read: orderedWork(database().pool, service.openSealed),
    async write(
      job: Job | undefined,
      fact: DeliveryEvent,
      record: AttemptRecord,
      db: pg.Pool | pg.ClientBase = database().pool,
    ) {
      if (job === undefined) throw new Error('The event matched no webhook.');
      const epoch = (await service.holdAll('me')).get(job.shard) ?? '';
      const result = resultOf(job, epoch, fact, record);
      await writeResults(db, { owner: 'me', unlock, index }, [result]);
    },
  };
}

/** What the owner is told of webhooks that we disabled. */
async function noticesTo(userId: string) {
  const { rows } = await database().pool.query<{ payload: Buffer }>(
    `select payload from outbox where type = 'webhook.disabled'
        and aggregatetype = 'user.events.v1' and aggregateid = $1`,
    [userId],
  );
  return rows.map(({ payload }) => JSON.parse(payload.toString()) as unknown);
}

const rotate = (previousExpiresAt: string): WebhookCommand => ({
  type: 'RotateSecret',
  data: { previousExpiresAt, at: fromNow(0) },
});

const change = (
  data: Partial<Extract<WebhookCommand, { type: 'ChangeWebhook' }>['data']>,
): WebhookCommand => ({ type: 'ChangeWebhook', data: { secret: 'keep', at: fromNow(0), ...data } });

async function target(webhookId: string) {
  const { pool } = database();
  const { vault } = onPostgres(database());
  const load = loadTargets(pool, vault, (error) => {
    throw error;
  });
  return (await load([webhookId])).get(webhookId);
}

const textsOf = async (webhookId: string) =>
  (await target(webhookId))?.secrets.map(({ text }) => text);

async function countOf(table: string, webhookId: string) {
  const { rows } = await database().pool.query<{ count: number }>(
    `select count(*)::int from ${table} where webhook_id = $1`,
    [webhookId],
  );
  return rows[0]?.count;
}

async function rowOf(webhookId: string) {
  const { rows } = await database().pool.query<Record<string, unknown>>(
    'select * from webhooks where webhook_id = $1',
    [webhookId],
  );
  return rows[0];
}

/** It failed first and last so many days ago. */
async function failing(webhookId: string, sinceDays: number, lastDays: number) {
  await database().pool.query(
    `insert into failing_webhooks values ($1, now() - $2 * interval '1 day', now() - $3 * interval '1 day')
     on conflict (webhook_id) do update set since = excluded.since, last_at = excluded.last_at`,
    [toStoredId(webhookId), sinceDays, lastDays],
  );
}

async function putOff(deliveryId: string | undefined) {
  await database().pool.query(
    `update pending set next_at = now() + interval '1 hour' where delivery_id = $1`,
    [deliveryId],
  );
}

const idsOf = (work: Awaited<ReturnType<ReturnType<typeof orderedWork>>>, webhookId: string) =>
  work.get(webhookId)?.jobs.map(({ deliveryId }) => deliveryId);
