import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { eventually, useDatabase } from '@junction/testing';
import {
  blockFiling,
  endedDeliveries,
  waitingForLocks,
} from '../../../../test/ended-deliveries.js';
import { dispatcherSchema, onPostgres } from '../../../../test/on-postgres.js';
import type { ReplayableOutcome } from '../../../application/replay.js';
import { redactPayload } from '../privacy/redact-payload.js';
import { toStoredId } from '../stored-id.js';
import { eventLog } from './event-log.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a delivery that is sent again', () => {
  it('is a new one of the same message and bytes, and says what it repeats', async () => {
    const { webhook, ids, log, again } = await withEnded('exhausted', 1);
    const [first = ''] = ids;
    const second = (await again(webhook.webhookId, first)) ?? '';
    const [before, after] = [await log(first), await log(second)];
    expect(after).toMatchObject({ status: 'pending', attempts: 0, originalId: first });
    expect(after?.messageId).toBe(before?.messageId);
    expect(after?.body).toEqual(before?.body);
    expect(before).toMatchObject({ status: 'exhausted', originalId: null });
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
    const asked = await asking;
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = asked.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'delivery_under_way' } });

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
    const [first = ''] = ids;
    expect(await again(newId('wh'), first)).toBeUndefined();
    expect(await redactPayload(database().pool)(webhook.webhookId, first)).toBe(true);
    await expect(again(webhook.webhookId, first)).rejects.toMatchObject({
      code: 'payload_expunged',
    });
  });
});

describe('an event', () => {
  it('shows what became of it at each webhook, repeats too', async () => {
    const { webhook, ids, again, log } = await withEnded('exhausted', 1);
    const first = await log(ids[0] ?? '');
    await again(webhook.webhookId, ids[0] ?? '');
    const events = eventLog(database().pool);
    const found = await events.detail(webhook.userId, first?.messageId ?? '');
    expect(found).toMatchObject({
      kind: 'draft.created',
      source: '/tests',
      verdicts: { [webhook.webhookId]: 'pending' },
    });
    expect(found?.deliveries.map(({ status }) => status)).toEqual(['exhausted', 'pending']);
    expect(await events.detail(newId('wh').slice(3), first?.messageId ?? '')).toBeUndefined();
  });

  it('is listed newest first, page after page', async () => {
    const { webhook } = await withEnded('succeeded', 5);
    const events = eventLog(database().pool);
    const all = await events.page(webhook.userId, { limit: 10 });
    expect(all.items).toHaveLength(5);
    const read: string[] = [];
    let after: { atMicros: string; messageId: string } | undefined;
    do {
      const page = await events.page(webhook.userId, { limit: 2, after });
      read.push(...page.items.map(({ messageId }) => messageId));
      const [atMicros = '', messageId = ''] = page.nextAfter?.split('.') ?? [];
      after = page.nextAfter === undefined ? undefined : { atMicros, messageId };
    } while (after !== undefined);
    expect(read).toEqual(all.items.map(({ messageId }) => messageId));
  });
});

const withEnded = (...ended: [ReplayableOutcome, number]) => endedDeliveries(database(), ...ended);
