import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { rowsRead, useDatabase } from '@junction/testing';
import { eventOf, onPostgres } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import type { WebhookCommand } from '../../domain/webhook/decider.js';
import type { OptionsChange } from '../../domain/webhook/options.js';
import { attemptNow } from './attempt-now.js';
import { probeNow } from './circuits.js';
import { replays } from './replaying/replays.js';
import { orderedWork } from './sending/ordered-work.js';
import { toStoredId } from './stored-id.js';
import { changedWebhooks } from './webhooks/targets.js';

/** Size of the body of each delivery, and of its seal. */
const BYTES = expect.any(Number);

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

const AT = '2030-01-01T00:00:00Z';
const HOUR_MS = 3_600_000;

it('an attempt is found past nothing else that waits, also by statistics that found nothing', async () => {
  const { pool } = database();
  await pool.query('analyze pending');
  const { webhookId, ids } = await waiting({ ordered: false });
  const parts = onPostgres(database());
  const other = await parts.newWebhook();
  await parts.takeIn(Array.from({ length: 1_000 }, () => eventOf(other.userId)));
  for (const asked of [[], ids]) {
    const read = await inTransaction(pool, async (tx) =>
      rowsRead(tx, 'pending', async () => {
        const how = { isFirst: false, askedAt: new Date() };
        expect(await attemptNow(tx, webhookId, asked, how)).toHaveLength(asked.length);
      }),
    );
    expect(read).toBeLessThanOrEqual(asked.length * 4);
  }
});

describe('the oldest delivery of an ordered webhook, which waits for an hour', () => {
  const change = (data: object): WebhookCommand => ({
    type: 'ChangeWebhook',
    data: { secret: 'keep', at: AT, ...data },
  });
  const rotation: WebhookCommand = {
    type: 'RotateSecret',
    data: { previousExpiresAt: AT, at: AT },
  };

  it.each([
    ['gets another url', change({ url: 'https://elsewhere.example/' })],
    ['is paused', change({ paused: true })],
    ['gets another option', change({ options: { rateLimit: 5 } })],
    ['gets another secret', rotation],
  ])('is attempted when its webhook %s', async (_, command) => {
    const { webhookId, handle, head } = await waiting({ ordered: true });
    expect((await head())?.waitMs).toBeGreaterThan(0);
    await handle(webhookId, command, { secret: 'a new one' });
    expect(await head()).toMatchObject({ waitMs: 0, jobs: [{ unscheduled: 1 }, {}] });
  });

  it.each(['retrying', 'succeeded'] as const)(
    'is attempted when another one that is %s is to be sent now',
    async (status) => {
      const { webhookId, again, ids, head, end } = await waiting({ ordered: true });
      const [, second = ''] = ids;
      if (status === 'succeeded') await end(second);
      const sent = await again(webhookId, second);
      expect(sent === second).toBe(status === 'retrying');
      expect(await head()).toMatchObject({ waitMs: 0, jobs: [{ deliveryId: ids[0] }, {}] });
    },
  );

  it('is attempted when a replay begins', async () => {
    const webhook = await waiting({ ordered: true });
    const span = { from: new Date(AT), to: new Date(), outcomes: ['succeeded'] as const };
    await replays(database().pool).begin(newId('op'), webhook, span);
    expect((await webhook.head())?.waitMs).toBe(0);
  });

  it('waits for its time when the webhook is not ordered', async () => {
    const { webhookId, handle, head } = await waiting({ ordered: false });
    await handle(webhookId, change({ paused: true }));
    expect((await head())?.waitMs).toBeGreaterThan(0);
  });

  it('is known to every replica to be due, once', async () => {
    const { webhookId, again, ids } = await waiting({ ordered: true });
    const { pool } = database();
    const known = new Map([[webhookId, 2]]);
    const before = await indexVersion();
    expect(await changedWebhooks(pool)(known, before)).toEqual([]);
    await again(webhookId, ids[0] ?? '');
    expect(await changedWebhooks(pool)(known, before)).toEqual([webhookId]);
    expect(await changedWebhooks(pool)(known, await indexVersion())).toEqual([]);
  });
});

describe('a probe that is asked for', () => {
  it.each([
    ['the oldest of an ordered webhook', true],
    ['the one that waits, and not the one that may be under way', false],
  ])('attempts %s, and is that one when it is asked for again', async (_, ordered) => {
    const { webhookId, ids, unitOfWork } = await waiting({ ordered });
    await openCircuit(webhookId, new Date());
    const probe = () =>
      unitOfWork.inTransaction((tx) => tx.pending.attemptFirst(webhookId, new Date()));
    for (let n = 0; n < 2; n++)
      expect(await probe()).toEqual({ deliveryId: ids[0], attempt: 2, bytes: BYTES });
    const { rows } = await database().pool.query(
      `select delivery_id, next_at <= now() as is_due, (select probe_at < clock_timestamp() from circuits c where c.webhook_id = p.webhook_id) as is_probed
         from pending p where delivery_id = $1 and unscheduled = 1`,
      [toStoredId(ids[0] ?? '')],
    );
    expect(rows).toMatchObject([{ is_due: true, is_probed: true }]);
    await database().pool.query('delete from pending where webhook_id = $1', [
      toStoredId(webhookId),
    ]);
    expect(await probe()).toBeUndefined();
  });

  it('is one of those that are due once the rest is over, because the probe is among them', async () => {
    const { webhookId, ids, unitOfWork } = await waiting({ ordered: false });
    await openCircuit(webhookId, new Date(Date.now() - 2 * HOUR_MS));
    const first = await unitOfWork.inTransaction((tx) =>
      tx.pending.attemptFirst(webhookId, new Date()),
    );
    expect(first).toEqual({ deliveryId: ids[1], attempt: 1, bytes: BYTES });
  });

  it('is due after the circuit opened, though it was asked for before', async () => {
    const { webhookId } = await waiting({ ordered: false });
    const openedAt = new Date();
    await openCircuit(webhookId, openedAt);
    const askedAt = new Date(openedAt.getTime() - 5);
    expect(await probeNow(database().pool, webhookId, askedAt)).toBeDefined();
    expect(await probeAtOf(webhookId)).toEqual(new Date(openedAt.getTime() + 1));
  });

  it('was made for all who asked before it failed, and is made again for who asks afterwards', async () => {
    const { webhookId } = await waiting({ ordered: false });
    const { pool } = database();
    await openCircuit(webhookId, new Date(Date.now() - 60_000));
    const askedAt = new Date();
    await probeNow(pool, webhookId, askedAt);
    expect(await probeAtOf(webhookId)).toEqual(askedAt);
    const again = new Date(askedAt.getTime() + 10 + HOUR_MS);
    await pool.query('update circuits set probe_at = $2 where webhook_id = $1', [
      toStoredId(webhookId),
      again,
    ]);
    for (const waitedMs of [0, 9]) {
      const alsoAsked = new Date(askedAt.getTime() + waitedMs);
      expect(await probeNow(pool, webhookId, alsoAsked)).toBeDefined();
      expect(await probeAtOf(webhookId)).toEqual(again);
    }
    const later = new Date(askedAt.getTime() + 11);
    await probeNow(pool, webhookId, later);
    expect(await probeAtOf(webhookId)).toEqual(later);
  });

  it('is due after the circuit opened, though the clock of its replica is ahead', async () => {
    const { webhookId } = await waiting({ ordered: false });
    const ahead = new Date(Date.now() + 10_000);
    await openCircuit(webhookId, ahead);
    await probeNow(database().pool, webhookId, new Date());
    expect(await probeAtOf(webhookId)).toEqual(new Date(ahead.getTime() + 1));
  });
});

async function probeAtOf(webhookId: string): Promise<Date | undefined> {
  const { rows } = await database().pool.query<{ probe_at: Date }>(
    'select probe_at from circuits where webhook_id = $1',
    [toStoredId(webhookId)],
  );
  return rows[0]?.probe_at;
}

const openCircuit = (webhookId: string, openedAt: Date) =>
  database().pool.query('insert into circuits values ($1, $2, $3, $4)', [
    toStoredId(webhookId),
    openedAt,
    new Date(openedAt.getTime() + HOUR_MS),
    HOUR_MS,
  ]);

async function indexVersion(): Promise<string> {
  const { rows } = await database().pool.query<{ version: string }>(
    'select version from webhook_index',
  );
  return rows[0]?.version ?? '';
}

/** A webhook with two deliveries, of which the first failed and waits for an hour. */
async function waiting(options: OptionsChange) {
  const { pool } = database();
  const parts = onPostgres(database());
  const webhook = await parts.newWebhook(undefined, undefined, options);
  const storedId = toStoredId(webhook.webhookId);
  const jobs = await parts.takeIn([eventOf(webhook.userId), eventOf(webhook.userId)]);
  const ids = jobs.map(({ deliveryId }) => deliveryId);
  await pool.query(
    `update pending set status = 'retrying', attempt = 2, next_at = now() + interval '1 hour'
      where delivery_id = $1`,
    [toStoredId(ids[0] ?? '')],
  );
  const read = orderedWork(pool, parts.openSealed);
  return {
    ...parts,
    ...webhook,
    ids,
    head: async () => (await read([webhook.webhookId])).get(webhook.webhookId),
    end: (deliveryId: string) =>
      pool.query(
        `with ended as (delete from pending where delivery_id = $1 returning day, delivery_id)
         insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
         select day, delivery_id, $2, 'succeeded', 'a_reason', now() from ended`,
        [toStoredId(deliveryId), storedId],
      ),
  };
}
