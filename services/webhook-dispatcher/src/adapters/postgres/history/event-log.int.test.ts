import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { useDatabase } from '@junction/testing';
import { endedDeliveries } from '../../../../test/ended-deliveries.js';
import { dispatcherSchema, onPostgres } from '../../../../test/on-postgres.js';
import { eventLog } from './event-log.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('an event', () => {
  it('shows what became of it at each webhook, repeats too', async () => {
    const { webhook, ids, again, log } = await endedDeliveries(database(), 'exhausted', 1);
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
    const { webhook } = await endedDeliveries(database(), 'succeeded', 5);
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
