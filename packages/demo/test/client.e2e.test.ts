import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createClient, type Schemas } from '@junction/client';
import { walkConsent } from '@junction/dev-servers/provider';
import { eventually, type Receiver, startReceiver } from '@junction/testing';
import { type SharedProduct, sharedProduct } from '../src/index.js';

const MINUTE = 60_000;

let product: SharedProduct;
let receiver: Receiver;
let baseUrl: string;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await sharedProduct(process.env);
  baseUrl = product.endpoints.gateway;
}, 4 * MINUTE);

afterAll(async () => {
  expect(await product?.stop()).toBe(0);
  await receiver?.close();
}, MINUTE);

it('a client made of the document registers, connects, configures, and reads what was delivered', async () => {
  const { credential, junction } = await registered();

  const { authorization_url: url } = await junction.get('/api/integrations/{provider}/authorize', {
    params: { path: { provider: 'mailbox' } },
  });
  const consent = { email: credential.email, password: 'any', allow: true };
  const code = (await walkConsent(url, consent)).searchParams.get('code') ?? '';
  const { status } = await junction.post('/api/integrations/{provider}/connect', {
    params: { path: { provider: 'mailbox' } },
    body: { auth_code: code },
  });
  const { integrations } = await junction.get('/api/integrations');
  expect([status, ...integrations.map(({ provider, status }) => [provider, status])]).toEqual([
    'connected',
    ['mailbox', 'active'],
  ]);

  const { webhook_id: id } = await junction.post('/api/webhooks/configure', {
    body: { url: `${receiver.url}/${randomUUID()}`, events: ['draft.created'], enabled: true },
  });
  const path = { id };
  const sent: string[] = [];
  for (let count = 0; count < 3; count++) {
    const body = { kind: 'draft.created' };
    sent.push(
      (await junction.post('/api/webhooks/{id}/test', { params: { path }, body })).delivery_id,
    );
  }
  const deliveries = async () => {
    const all: Schemas['Delivery'][] = [];
    const query = { limit: 2, status: 'succeeded' } as const;
    const list = junction.items('/api/webhooks/{id}/deliveries', { params: { path, query } });
    for await (const delivery of list) all.push(delivery);
    return all.map(({ delivery_id }) => delivery_id);
  };
  await eventually(async () => expect(await deliveries()).toEqual(sent.toReversed()));
});

async function registered() {
  const credential = { email: `${randomUUID()}@example.com`, password: `pass ${randomUUID()}` };
  await createClient({ baseUrl }).post('/api/auth/register', { body: credential });
  return { credential, junction: createClient({ baseUrl, credential }) };
}
