import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { eventually, useDatabase } from '@junction/testing';
import type pg from 'pg';
import { waitingForLocks } from '../../../test/ended-deliveries.js';
import {
  noticesTo as allNoticesTo,
  answered,
  eventOf,
  onPostgres,
  resultOf,
} from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { writeResults } from '../../adapters/postgres/sending/write-results.js';
import { toStoredId } from '../../adapters/postgres/stored-id.js';
import { failingReads } from '../../adapters/postgres/webhooks/failing-webhooks.js';
import type { DeliveryEvent } from '../../domain/delivery/events.js';
import type { WebhookCommand } from '../../domain/webhook/decider.js';
import type { AttemptRecord, Job } from '../job.js';
import { disableFailing } from './disable-failing.js';
import { tellFailing } from './tell-failing.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ATTEMPT_FAILED: DeliveryEvent = {
  type: 'delivery.attempt_failed',
  data: { attempt: 1, reason: 'http_500', delayMs: DAY_MS },
};
const EXHAUSTED: DeliveryEvent = {
  type: 'delivery.exhausted',
  data: { attempt: 1, reason: 'http_500', gone: false },
};

describe('a webhook that only fails', () => {
  it('is disabled after five days with reason and time, and its owner is notified', async () => {
    const { webhookId, userId, disable } = await webhook();
    const young = await webhook();
    await failing(webhookId, 6, 1);
    await failing(young.webhookId, 4.9, 0);
    const at = new Date();
    expect(await disable(at)).toEqual([webhookId]);
    expect(await rowOf(webhookId)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
      disabled_at: at,
    });
    expect(await rowOf(young.webhookId)).toMatchObject({ status: 'active' });
    expect(await disable(at)).toEqual([]);
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
      const { webhookId, userId, handle, takeIn, write, disable } = await webhook();
      await handle(webhookId, change({ events: ['draft.created', 'integration.connected'] }));
      for (const [what, fact] of Object.entries(facts)) {
        const kind = what === 'notice' ? 'integration.connected' : 'draft.created';
        const [job] = await takeIn([eventOf(userId, { kind })]);
        await write(job, fact, answered(500));
      }
      await failing(webhookId, 6, 0);
      expect(await disable()).toEqual([webhookId]);
      expect(await rowOf(webhookId)).toMatchObject({ disabled_reason: 'failing' });
      expect(await noticesTo(userId)).toHaveLength(told);
    },
  );

  it('is disabled by notices alone though an event had failed before it last succeeded', async () => {
    const { webhookId, userId, handle, takeIn, write, disable } = await webhook();
    await handle(webhookId, change({ events: ['draft.created', 'integration.connected'] }));
    const startedAt = new Date(Date.now() - 8 * DAY_MS);
    const [job] = await takeIn([eventOf(userId)]);
    await write(job, EXHAUSTED, answered(500, { startedAt }));
    const [notice] = await takeIn([eventOf(userId, { kind: 'integration.connected' })]);
    await write(notice, ATTEMPT_FAILED, answered(500));
    await failing(webhookId, 6, 0);
    expect(await disable()).toEqual([webhookId]);
    expect(await noticesTo(userId)).toEqual([]);
  });

  it('stays active when its last failure is long ago, or nothing was tried since the first', async () => {
    const { webhookId, disable } = await webhook();
    await failing(webhookId, 7, 7);
    expect(await disable()).toEqual([]);
    await failing(webhookId, 20, 11);
    expect(await disable()).toEqual([]);
    expect(await rowOf(webhookId)).toMatchObject({ status: 'active' });
  });

  it('stays active when an attempt succeeds while it is being disabled, which locks no waiting delivery', async () => {
    const { webhookId, userId, takeIn, write, disable } = await webhook();
    await failing(webhookId, 6, 0);
    const [job] = await takeIn([eventOf(userId), eventOf(userId)]);
    const disabling = await inTransaction(database().pool, async (tx) => {
      await write(job, { type: 'delivery.succeeded', data: { attempt: 1 } }, answered(200), tx);
      const found = disable();
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
    expect(await rowOf(webhookId)).toMatchObject({ status: 'active' });
    expect(await noticesTo(userId)).toEqual([]);
  });

  it.each([
    ['moved', [{ url: 'https://elsewhere.example/' }]],
    ['enabled again', [{ enabled: false }, { enabled: true }]],
  ])('starts anew when it was %s', async (_, changes) => {
    const { webhookId, handle, disable } = await webhook();
    await failing(webhookId, 6, 0);
    for (const one of changes) await handle(webhookId, change(one));
    expect(await disable()).toEqual([]);
  });
});

describe('the owner of a webhook that only fails', () => {
  it('is notified after an hour, and again every twelve hours until it works', async () => {
    const { webhookId, userId, tell } = await webhook();
    const young = await webhook();
    await failing(webhookId, 0.05, 0);
    await failing(young.webhookId, 0.03, 0);
    const at = new Date();
    const later = (hours: number) => new Date(at.getTime() + hours * HOUR_MS);
    await Promise.all([tell(at), tell(at)]);
    await tell(later(11));
    await tell(later(13));
    await database().pool.query('delete from failing_webhooks');
    await tell(later(26));
    expect(await noticesTo(userId, 'webhook.failing')).toEqual(
      [at, later(13)].map((moment) => ({
        webhook_id: webhookId,
        occurred_at: moment.toISOString(),
        since: expect.any(String),
        reason: 'http_500',
      })),
    );
    expect(await noticesTo(young.userId, 'webhook.failing')).toEqual([]);
  });

  it('is not notified when the webhook sends nothing, or fails for notices alone', async () => {
    const disabled = await webhook();
    await disabled.handle(disabled.webhookId, change({ enabled: false }));
    const { webhookId, userId, handle, takeIn, write, tell } = await webhook();
    await handle(webhookId, change({ events: ['integration.connected'] }));
    const [notice] = await takeIn([eventOf(userId, { kind: 'integration.connected' })]);
    await write(notice, ATTEMPT_FAILED, answered(500));
    for (const id of [webhookId, disabled.webhookId]) await failing(id, 1, 0);
    await tell();
    expect(await noticesTo(userId, 'webhook.failing')).toEqual([]);
    expect(await noticesTo(disabled.userId, 'webhook.failing')).toEqual([]);
  });
});

async function webhook() {
  const service = onPostgres(database());
  const { unitOfWork, tables } = service;
  return {
    ...service,
    ...(await service.newWebhook()),
    async write(
      job: Job | undefined,
      fact: DeliveryEvent,
      record: AttemptRecord,
      db: pg.Pool | pg.ClientBase = database().pool,
    ) {
      if (job === undefined) throw new Error('The event matched no webhook.');
      const epoch = (await service.holdAll('me')).get(job.shard) ?? '';
      await writeResults(db, tables.writing, [resultOf(job, epoch, fact, record)]);
    },
    tell: async (at = new Date()) =>
      tellFailing({ unitOfWork, failing: failingReads(database().pool), now: () => at })(),
    /** Disables failing webhooks, and returns those of which the dispatcher was notified. */
    async disable(at = new Date()) {
      const changed: string[] = [];
      await disableFailing({
        unitOfWork,
        failing: failingReads(database().pool),
        webhookChanged: ({ webhookId }) => void changed.push(webhookId),
        now: () => at,
      })();
      return changed;
    },
  };
}

/** Returns the notices to the owner about webhooks that we disabled, or that fail. */
const noticesTo = async (userId: string, kind = 'webhook.disabled') =>
  (await allNoticesTo(database(), userId))
    .filter(({ type }) => type === kind)
    .map(({ data }) => data);

const change = (
  data: Partial<Extract<WebhookCommand, { type: 'ChangeWebhook' }>['data']>,
): WebhookCommand => ({
  type: 'ChangeWebhook',
  data: { secret: 'keep', at: new Date().toISOString(), ...data },
});

async function rowOf(webhookId: string) {
  const { rows } = await database().pool.query<Record<string, unknown>>(
    'select * from webhooks where webhook_id = $1',
    [toStoredId(webhookId)],
  );
  return rows[0];
}

/** Inserts a webhook that failed first and last so many days ago. */
async function failing(webhookId: string, sinceDays: number, lastDays: number) {
  await database().pool.query(
    `insert into failing_webhooks values ($1, now() - $2 * interval '1 day', now() - $3 * interval '1 day', 'http_500')
     on conflict (webhook_id) do update set since = excluded.since, last_at = excluded.last_at`,
    [toStoredId(webhookId), sinceDays, lastDays],
  );
}
