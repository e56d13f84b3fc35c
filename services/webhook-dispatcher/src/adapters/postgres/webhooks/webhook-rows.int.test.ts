import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { Webhook, WebhookState } from '../../../application/webhooks/ports.js';
import { failingWebhooks } from '../operators/failing-reads.js';
import { toStoredId } from '../stored-id.js';
import { webhookRows } from './webhook-rows.js';

const database = useDatabase(dispatcherSchema);

it('says the same of a webhook alone, in the list, in the list of each state, and to operators', async () => {
  const { newWebhook, handle } = onPostgres(database());
  const userId = randomUUID();
  const fail = 'insert into failing_webhooks values ($1, now(), now(), $$http_401$$)';
  const rest = 'insert into circuits values ($1, now(), now(), 1000)';
  const expected = new Map<string, WebhookState>();
  for (const status of ['active', 'paused', 'disabled'] as const) {
    for (const troubles of [[], [fail], [rest], [fail, rest]]) {
      const { webhookId } = await newWebhook(userId);
      const at = new Date().toISOString();
      const change = { paused: status === 'paused', enabled: status !== 'disabled' };
      await handle(webhookId, { type: 'ChangeWebhook', data: { ...change, secret: 'keep', at } });
      for (const trouble of troubles) await database().pool.query(trouble, [toStoredId(webhookId)]);
      expected.set(webhookId, status === 'active' && troubles.length > 0 ? 'failing' : status);
    }
  }

  const { page, byId } = webhookRows(database().pool);
  const list = async (state?: WebhookState) => (await page(userId, { limit: 50, state })).items;
  expect(statesOf(await list())).toEqual(expected);
  for (const state of ['active', 'failing', 'paused', 'disabled'] as const) {
    const wanted = [...expected].filter(([, one]) => one === state);
    expect(statesOf(await list(state))).toEqual(new Map(wanted));
  }
  for (const [webhookId, state] of expected) {
    expect(await byId(userId, webhookId)).toMatchObject({ state });
  }
  const shown = await failingWebhooks.rows(database().pool, { user_id: userId, limit: 50 });
  expect(shown).toHaveLength(6);
  for (const { webhook_id: webhookId, state } of shown) expect(state).toBe(expected.get(webhookId));
});

const statesOf = (webhooks: readonly Webhook[]) =>
  new Map(webhooks.map(({ webhookId, state }) => [webhookId, state]));
