import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema, onPostgres } from '../../test/on-postgres.js';
import { webhookReads } from '../adapters/postgres/webhooks/webhook-rows.js';
import { configureWebhook } from './configure-webhook.js';

const database = useDatabase(dispatcherSchema);

describe('the webhooks of a user', () => {
  it('are as many as allowed and no more, also when they are made at the same time', async () => {
    const userId = randomUUID();
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => configure(userId)));
    const refused = made.filter((one) => one.status === 'rejected');
    expect(refused.map(({ reason }) => reason)).toMatchObject(
      Array.from({ length: 5 }, () => ({ kind: 'conflict', code: 'webhook_limit_reached' })),
    );
    expect(await webhookIdsOf(userId)).toHaveLength(3);
    await expect(configure(randomUUID())).resolves.toMatchObject({ created: true });
  });

  it('are one when the same url is configured by several requests at the same time', async () => {
    const userId = randomUUID();
    const url = `https://r.example/${randomUUID()}`;
    const made = await Promise.all(Array.from({ length: 4 }, () => configure(userId, url)));
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(await webhookIdsOf(userId)).toEqual([made[0]?.webhook.webhook_id]);
  });
});

async function configure(userId: string, url = `https://r.example/${randomUUID()}`) {
  const { pool } = database();
  const { unitOfWork, store, vault } = onPostgres(database());
  const onUnreadable = (error: unknown) => {
    throw error;
  };
  return configureWebhook({
    unitOfWork,
    webhooks: webhookReads({ pool, store, vault, onUnreadable }),
    webhooksPerUserMax: 3,
    webhookChanged: () => {},
    now: () => new Date(),
    newWebhookId: () => newId('wh'),
  })(userId, { url, events: ['draft.created'], enabled: true });
}

async function webhookIdsOf(userId: string) {
  const { rows } = await database().pool.query<{ webhook_id: string }>(
    'select webhook_id from webhooks where user_id = $1',
    [userId],
  );
  return rows.map((row) => row.webhook_id);
}
