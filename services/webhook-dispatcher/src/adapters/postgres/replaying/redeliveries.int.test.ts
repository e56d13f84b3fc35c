import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { eventually, tapped, useDatabase } from '@junction/testing';
import {
  blockFiling,
  endedDeliveries,
  waitingForLocks,
} from '../../../../test/ended-deliveries.js';
import { onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { ReplayableOutcome } from '../../../application/replaying/ports.js';
import { deliveryLog } from '../history/delivery-log.js';
import { eventLog } from '../history/event-log.js';
import { toStoredId } from '../stored-id.js';
import { changedWebhooks } from '../webhooks/targets.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a delivery that is sent again', () => {
  it('is a new one of the same message and bytes, and says what it repeats', async () => {
    const { webhook, ids, log, again } = await withEnded('exhausted', 1);
    const [first = ''] = ids;
    const second = (await again(webhook.webhookId, first)) ?? '';
    const [before, after] = [await log(first), await log(second)];
    expect(after).toMatchObject({ status: 'pending', attempt_count: 0, redelivery_of: first });
    expect(after).toMatchObject({ operation_id: null, test: false });
    expect(after?.message_id).toBe(before?.message_id);
    expect(after?.body).toEqual(before?.body);
    expect(before).toMatchObject({ status: 'exhausted', redelivery_of: null });
  });

  it('is made once, however many ask at the same time', async () => {
    const { webhook, ids, again, endAll } = await withEnded('exhausted', 1);
    const [first = ''] = ids;
    const blocking = await blockFiling(database());
    const asking = Promise.allSettled([1, 2, 3].map(() => again(webhook.webhookId, first)));
    try {
      await eventually(async () => expect(await waitingForLocks(database())).toBe(3));
    } finally {
      await blocking.end();
    }
    const made = (await asking).map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
    expect(made).toEqual([expect.stringMatching(/^dlv_/), made[0], made[0]]);

    await endAll('exhausted');
    const repeated = (await again(webhook.webhookId, first)) ?? '';
    await endAll('succeeded');
    // A repeat of a repeat is one of the first.
    const third = (await again(webhook.webhookId, repeated)) ?? '';
    const { rows } = await database().pool.query(
      'select count(*)::int as repeats from redeliveries where original_id = $1',
      [toStoredId(first)],
    );
    expect(rows).toEqual([{ repeats: 3 }]);
    expect(third).not.toBe(repeated);
  });

  it("is not another webhook's, and not one whose payload was redacted", async () => {
    const { webhook, ids, again } = await withEnded('succeeded', 1);
    const { redact } = onPostgres(database());
    const [first = ''] = ids;
    expect(await again(newId('wh'), first)).toBeUndefined();
    expect(await redact(webhook.webhookId, first)).toBe(true);
    await expect(again(webhook.webhookId, first)).rejects.toMatchObject({
      code: 'payload_expunged',
    });
  });
});

describe('a delivery that waits for another attempt', () => {
  const pendingRow = async (deliveryId: string) => {
    const { rows } = await database().pool.query<object>(
      `select attempt, unscheduled, next_at <= now() as is_due,
              next_at <= (select min(next_at) from pending f where f.webhook_id = p.webhook_id) as is_first
         from pending p where delivery_id = $1`,
      [toStoredId(deliveryId)],
    );
    return rows[0];
  };

  it('is attempted now and first, once more than its schedule has', async () => {
    const { webhook, again, retrying } = await withEnded('exhausted', 1);
    const [one, other] = [await retrying(), await retrying()];
    const waits = { attempt: 2, unscheduled: 0, is_due: false };
    expect(await pendingRow(one)).toMatchObject(waits);
    expect(await again(webhook.webhookId, one)).toBe(one);
    const now = { attempt: 2, unscheduled: 1, is_due: true, is_first: true };
    expect(await pendingRow(one)).toEqual(now);
    expect(await again(webhook.webhookId, other)).toBe(other);
    expect(await pendingRow(other)).toEqual(now);

    // A delivery that is due already is not counted a second time.
    expect(await again(webhook.webhookId, one)).toBe(one);
    expect(await pendingRow(one)).toMatchObject({ unscheduled: 1 });
  });

  it('is the probe of an open circuit, of which every replica hears', async () => {
    const { webhook, again, retrying, log } = await withEnded('exhausted', 1);
    const { pool } = database();
    const inAnHour = new Date(Date.now() + 3_600_000);
    await pool.query('insert into circuits values ($1, now(), $2, 3600000)', [
      toStoredId(webhook.webhookId),
      inAnHour,
    ]);
    const delivery = await retrying();
    expect((await log(delivery))?.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(+inAnHour);
    const known = new Map([[webhook.webhookId, 1]]);
    const { rows } = await pool.query<{ version: string }>('select version from webhook_index');
    const before = rows[0]?.version;
    expect(await changedWebhooks(pool)(known, before)).toEqual([]);

    const askedMs = Date.now();
    await again(webhook.webhookId, delivery);
    expect(await changedWebhooks(pool)(known, before)).toEqual([webhook.webhookId]);
    // A delivery that is due already is not shown as due in the past.
    expect((await log(delivery))?.next_attempt_at?.getTime()).toBeGreaterThanOrEqual(
      askedMs - 1_000,
    );
  });
});

describe('a delivery', () => {
  it('is read as of one moment, also when it ends meanwhile', async () => {
    const { webhook, ids, again, endAll } = await withEnded('exhausted', 1);
    const second = (await again(webhook.webhookId, ids[0] ?? '')) ?? '';
    let statements = 0;
    const pool = tapped(database().pool, async (db, asked) => {
      const answer = await db.query(asked);
      statements += 1;
      if (statements === 2) {
        await succeed(second);
        await endAll('succeeded');
      }
      return answer;
    });

    const { detail } = deliveryLog(pool, onPostgres(database()).openSealed);
    const read = await detail(webhook.userId, second);

    expect(statements).toBe(3);
    expect(read).toMatchObject({ delivery: { status: 'pending', attempt_count: 0 }, log: [] });
  });

  const succeed = (deliveryId: string) =>
    database().pool.query(
      `insert into attempts (day, delivery_id, n, at, result, http_status, total_ms)
       select day, delivery_id, 1, now(), 'succeeded', 200, 5 from pending where delivery_id = $1`,
      [toStoredId(deliveryId)],
    );
});

describe('an event', () => {
  it('is listed newest first, page after page', async () => {
    const { webhook } = await withEnded('succeeded', 5);
    const events = eventLog(database().pool);
    const all = await events.page(webhook.userId, { limit: 10 });
    expect(all.items).toHaveLength(5);
    const read: string[] = [];
    let cursor: { atMicros: string; messageId: string } | undefined;
    do {
      const page = await events.page(webhook.userId, { limit: 2, cursor });
      read.push(...page.items.map(({ message_id }) => message_id));
      const [atMicros = '', messageId = ''] = page.nextAfter?.split('.') ?? [];
      cursor = page.nextAfter === undefined ? undefined : { atMicros, messageId };
    } while (cursor !== undefined);
    expect(read).toEqual(all.items.map(({ message_id }) => message_id));
  });
});

const withEnded = (...ended: [ReplayableOutcome, number]) => endedDeliveries(database(), ...ended);
