import { createPublicKey, type JsonWebKey, verify as verifyEd25519 } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, type ReceivedRequest } from '@junction/testing';
import {
  newSecret,
  publishedKeys,
  verify,
  verifyServiceSignature,
} from '@junction/webhook-signing';
import { toolOf } from './tool.js';
import { type NewWebhook, useWorld } from './world.js';

const world = useWorld();
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

  it('shows the option and what was sent, and goes back to hmac', async () => {
    const { dispatcher, newWebhook } = world();
    const webhook = await newWebhook({ ...ED25519, secret: 's' });
    const { headers } = await delivered(webhook);
    const path = `/api/webhooks/${webhook.webhookId}`;
    const ask = async (method: string, target: string, json?: object) =>
      (await dispatcher.call(webhook.userId, method, target, json && { json })).body;

    expect(await ask('GET', path)).toMatchObject(ED25519);
    const { items } = (await eventually(async () => {
      const page = await ask('GET', `${path}/deliveries?status=succeeded`);
      expect(page['items']).toHaveLength(1);
      return page;
    })) as { items: { delivery_id: string }[] };
    const detail = await ask('GET', `${path}/deliveries/${items[0]?.delivery_id}`);
    const [attempt] = detail['attempts'] as { request: { headers: object } }[];
    const { 'webhook-signature': signature } = headers;
    expect(attempt?.request.headers).toMatchObject({ 'webhook-signature': signature });

    expect(await ask('PATCH', path, { signature: null })).not.toHaveProperty('signature');
    const later = await delivered(webhook, 'msg_2');
    expect(String(later.headers['webhook-signature'])).toMatch(/^v1,\S+$/);
  });
});

it('a webhook without the option and without a secret is not signed', async () => {
  const { headers } = await delivered(await world().newWebhook());
  expect(headers).not.toHaveProperty('webhook-signature');
});

describe('a rotation by an operator', () => {
  it('publishes the new key before it signs, so that nothing is refused', async () => {
    const webhook = await world().newWebhook(ED25519);
    const before = await keys();
    const { public_key: publicKey, signs_from: signsFrom } = await rotate(false);

    expect(Date.parse(signsFrom)).toBeGreaterThan(Date.now());
    expect(await keys()).toEqual([publicKey, ...before]);
    const { body, headers } = await delivered(webhook);
    expect(verify(body, headers, before, webhook)).toBeDefined();
    expect(verify(body, headers, await keys(), webhook)).toBeDefined();
  });

  it('ends all others at once when a key has leaked, on every replica', async () => {
    const { dispatcher, newWebhook, startAnother } = world();
    const webhook = await newWebhook(ED25519);
    const before = await keys();
    const other = await startAnother();
    try {
      const { public_key: publicKey } = await rotate(true);
      for (const { url } of [dispatcher, other]) {
        await eventually(async () => expect(await keys(url)).toEqual([publicKey]));
      }
      const { body, headers } = await delivered(webhook);
      expect(verify(body, headers, [publicKey], webhook)).toBeDefined();
      expect(() => verify(body, headers, before, webhook)).toThrow('No signature');
    } finally {
      await other.end('SIGTERM');
    }
  });

  it('needs ops:write, and is recorded', async () => {
    expect(await askedToRotate(true, 'ops:read')).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
    const { kid } = await rotate(false);
    const { rows } = await world().database.pool.query<{ data: string }>(
      `select data::text from events where stream_id like 'ops-%' order by position`,
    );
    expect(rows.at(-1)?.data).toContain(kid);
    expect(rows.map(({ data }) => data).join('')).not.toContain('whsk_');
  });
});

async function delivered({ userId, path }: NewWebhook, id?: string): Promise<ReceivedRequest> {
  const { publish, receiver } = world();
  const messageId = await publish(userId, id === undefined ? {} : { headers: { ce_id: id } });
  return receiver.waitFor(
    (request) => request.path === path && request.headers['webhook-id'] === messageId,
  );
}

const addressAt = (url = world().dispatcher.url) => `${url}/.well-known/webhook-keys.json`;

const keys = async (url?: string) => publishedKeys(addressAt(url))();

async function document() {
  const response = await fetch(addressAt());
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  return (await response.json()) as { keys: readonly object[] };
}

interface Rotated {
  readonly kid: string;
  readonly public_key: string;
  readonly signs_from: string;
}

async function rotate(compromised: boolean): Promise<Rotated> {
  const { status, body } = await askedToRotate(compromised, 'ops:write');
  expect(status).toBe(200);
  return body as unknown as Rotated;
}

const askedToRotate = (compromised: boolean, scope: string) =>
  toolOf(world())('POST', 'webhook-keys/rotate', { json: { compromised }, scope });
