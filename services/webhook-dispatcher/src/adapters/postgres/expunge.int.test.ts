import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { useDatabase } from '@junction/testing';
import { endedDeliveries } from '../../../test/ended-deliveries.js';
import { dispatcherSchema, onPostgres } from '../../../test/on-postgres.js';
import { expungePayload } from './expunge.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a payload that is removed', () => {
  it('is gone from the delivery and from those that repeat it; what happened stays', async () => {
    const { webhook, ids, log, again, endAll } = await endedDeliveries(database(), 'exhausted', 1);
    const [first = ''] = ids;
    const second = (await again(webhook.webhookId, first)) ?? '';
    const expunge = expungePayload(database().pool);
    await expect(expunge(webhook.webhookId, second)).rejects.toMatchObject({
      code: 'delivery_under_way',
    });
    await endAll('succeeded');
    expect(await expunge(webhook.webhookId, second)).toBe(true);
    for (const id of [first, second]) {
      expect(await log(id)).toMatchObject({ body: undefined, expungedAt: expect.any(Date) });
    }
    expect(await expunge(webhook.webhookId, second)).toBe(true);
    expect(await expunge(newId('wh'), second)).toBe(false);
  });
});
