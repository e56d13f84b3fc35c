import {
  createHmac,
  createPublicKey,
  type JsonWebKey,
  randomBytes,
  verify as verifyEd25519,
} from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, type ReceivedRequest } from '@junction/testing';
import {
  newSecret,
  publishedKeys,
  verify,
  verifyServiceSignature,
} from '@junction/webhook-signing';
import { Webhook } from 'standardwebhooks';
import { world } from './shared-world.js';
import type { NewWebhook } from './world.js';

const ED25519 = { signature: 'ed25519' };

describe('a webhook with signature ed25519', () => {
  it('receives what the published keys verify, and no secret is needed', async () => {
    const { newWebhook } = world();
    const webhook = await newWebhook(ED25519);
    const { body, headers } = await delivered(webhook);

    expect(verify(body, headers, await keys(), webhook)).toMatchObject({
      event_type: 'draft.created',
      webhook_id: webhook.webhookId,
    });
    expect(headers).not.toHaveProperty('x-service-signature');
    // The same by hand: the document is a JWK Set that node:crypto reads as it is.
    const [jwk] = (await document()).keys;
    const of = (name: string) => String(headers[name]);
    const content = `${of('webhook-id')}.${of('webhook-timestamp')}.${body.toString()}`;
    const [, signature = ''] = /^v1a,(\S+)$/.exec(of('webhook-signature')) ?? [];
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    expect(verifyEd25519(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))).toBe(
      true,
    );
  });

  it('has its secret sign as before, in both headers', async () => {
    const { newWebhook } = world();
    const secret = newSecret();
    const webhook = await newWebhook({ ...ED25519, secret });
    const { body, headers } = await delivered(webhook);

    expect(String(headers['webhook-signature'])).toMatch(/^v1a,\S+ v1,\S+$/);
    expect(verify(body, headers, secret)).toMatchObject({ webhook_id: webhook.webhookId });
    expect(verify(body, headers, await keys(), webhook)).toEqual(verify(body, headers, secret));
    const header = String(headers['x-service-signature']);
    expect(verifyServiceSignature(body, header, secret)).toBe(true);
  });
});

describe('a rotated secret', () => {
  it('signs beside the old one, which Standard Webhooks verifies, and is shown once', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const first = `whsec_${randomBytes(32).toString('base64')}`;
    const { userId, webhookId, path } = await newWebhook({ secret: first });
    const webhook = `/api/webhooks/${webhookId}`;
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
    const rotate = () => dispatcher.call(userId, 'POST', `${webhook}/rotate-secret`, { headers });
    const { status, body } = await rotate();
    expect(status).toBe(200);
    const second = String(body['secret']);
    expect(second).toMatch(/^whsec_/);
    expect((await rotate()).body['secret']).toBe(second);
    expect((await dispatcher.call(userId, 'GET', webhook)).body).not.toHaveProperty('secret');

    await publish(userId);
    const request = await receiver.waitFor((one) => one.path === path);
    for (const secret of [first, second]) {
      const verified = new Webhook(secret).verify(
        request.body,
        request.headers as Record<string, string>,
      );
      expect(verified).toMatchObject({ webhook_id: webhookId });
    }
    const stranger = `whsec_${randomBytes(32).toString('base64')}`;
    expect(() =>
      new Webhook(stranger).verify(request.body, request.headers as Record<string, string>),
    ).toThrow(/signature/i);
    expect(request.headers['x-service-signature']).toBe(signatureOf(second, request.body));

    await eventually(async () => {
      const { items } = (await dispatcher.call(userId, 'GET', `${webhook}/deliveries`)).body;
      const [delivery] = items as { delivery_id: string }[];
      const url = `${webhook}/deliveries/${delivery?.delivery_id}`;
      const detail = await dispatcher.call(userId, 'GET', url);
      const [attempt] = detail.body['attempts'] as { request: { headers: object } }[];
      expect(attempt?.request.headers).toMatchObject({
        'webhook-signature': request.headers['webhook-signature'],
      });
    });
  });
});

async function delivered({ userId, path }: NewWebhook): Promise<ReceivedRequest> {
  const { publish, receiver } = world();
  const messageId = await publish(userId);
  return receiver.waitFor(
    (request) => request.path === path && request.headers['webhook-id'] === messageId,
  );
}

const address = () => `${world().dispatcher.url}/.well-known/webhook-keys.json`;
const keys = async () => publishedKeys(address())();

async function document() {
  const response = await fetch(address());
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  return (await response.json()) as { keys: readonly object[] };
}

const signatureOf = (secret: string, body: Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
