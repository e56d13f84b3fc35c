import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  connect,
  consent,
  type Person,
  signUp,
  tellStory,
  tellTrouble,
  useProduct,
  worker,
} from '@junction/demo';
import { kafkaProducer, type NewEvent } from '@junction/producer';
import { apiAt, type Call, eventually, type Receiver, startReceiver } from '@junction/testing';

const DELIVERED_WITHIN_MS = 60_000;
const KINDS = [
  'inbox.organized',
  'draft.created',
  'meeting.joined',
  'briefing.sent',
  'reminder.sent',
] as const;

const product = useProduct();
let receiver: Receiver;
let api: Call;

beforeAll(async () => {
  receiver = await startReceiver();
  api = apiAt(product().endpoints.gateway);
});

afterAll(async () => {
  await receiver?.close();
});

describe('the main job', () => {
  it('runs from sign-up to disconnect as the demo tells it', async () => {
    const steps: string[] = [];
    await tellStory(product().endpoints, (step) => steps.push(step));
    expect(steps).toHaveLength(29);
  });

  it('survives a receiver that fails, as the demo tells it', async () => {
    const moods: unknown[] = [];
    await tellTrouble(product().endpoints, (_step, _result, mood) => moods.push(mood));
    expect(moods.filter((mood) => mood === 'bad')).toHaveLength(2);
    expect(moods.filter((mood) => mood === 'good')).toHaveLength(3);
  });
});

describe('connecting a mailbox', () => {
  it('answers exactly what the interface shows', async () => {
    const ada = await signUp(api);
    const get = async (path = '') => (await ada.call('GET', `/api/integrations${path}`)).body;
    expect(await get()).toEqual({ integrations: [] });
    expect(await get('/mailbox')).toEqual({
      provider: 'mailbox',
      connected: false,
      status: 'not_connected',
    });
    const begun = await ada.call('GET', '/api/integrations/mailbox/authorize');
    expect(begun.status).toBe(200);
    expect(begun.body).toEqual({
      authorization_url: expect.stringMatching(/^http:\/\/localhost:\d+\/.*code_challenge=/),
      state: expect.stringMatching(/^[\w-]{43,}$/),
    });

    const connected = await connect(ada, 'mailbox');
    expect(connected.status).toBe(200);
    expect(connected.body).toEqual({
      success: true,
      status: 'connected',
      integration_id: expect.stringMatching(/^con_/),
    });

    const integration = {
      integration_id: (connected.body as { integration_id: string }).integration_id,
      identity_provider: 'acme',
      is_primary: true,
      provider: 'mailbox',
      connected: true,
      connected_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      status: 'active',
      status_reason: null,
      granted_scopes: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
      missing_scopes: [],
      account: expect.stringContaining('@'),
      renewable: true,
      last_refreshed_at: null,
      provider_revocation: null,
    };
    expect(await get()).toEqual({ integrations: [integration] });
    expect(await get('/mailbox')).toEqual(integration);
  });

  it('asks for the permissions of the interface, and calendar for its own', async () => {
    const ada = await signUp(api);
    expect(await scopesAskedFor(ada, 'mailbox')).toEqual(
      expect.arrayContaining(['mailbox.readonly', 'mailbox.send', 'mailbox.modify']),
    );
    expect(await scopesAskedFor(ada, 'calendar')).toEqual(
      expect.arrayContaining(['calendar.readonly', 'calendar.events']),
    );
  });

  it('leads the browser to a page with the code and the state, and the server keeps neither', async () => {
    const { back, state } = await consent(await signUp(api), 'mailbox');
    expect(back.searchParams.get('code')).toMatch(/./);
    expect(back.searchParams.get('state')).toBe(state);

    const page = await fetch(back, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).toContain('<title>Junction</title>');
    expect(html).not.toContain(back.searchParams.get('code'));
  });

  it('leads back with what went wrong when the user declines', async () => {
    const { back, state } = await consent(await signUp(api), 'mailbox', { allow: false });
    expect(back.pathname).toBe('/connect/acme/mailbox/callback');
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('state')).toBe(state);
  });
});

describe('a webhook', () => {
  it('receives each of the five kinds with exactly the fields of the interface, signed', async () => {
    const { ada, path, webhookId } = await configured({ secret: 'sécret of a user' });
    const sent = new Map<string, object>();
    const producer = await producerOf(product());
    try {
      for (const type of KINDS) {
        const data =
          type === 'inbox.organized'
            ? { total_emails: 2, categorized: { important: 1, meetings: 1, tasks: 0 } }
            : { about: type };
        sent.set(type, data);
        await producer.publish({ type, userId: ada.id, data } as NewEvent);
      }
    } finally {
      await producer.close();
    }

    for (const [type, data] of sent) {
      const { body, headers, method } = await receiver.waitFor(
        (request) =>
          request.path === path && JSON.parse(request.body.toString()).event_type === type,
        DELIVERED_WITHIN_MS,
      );
      const hex = createHmac('sha256', 'sécret of a user').update(body).digest('hex');
      expect(method).toBe('POST');
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-service-signature': `sha256=${hex}`,
        'webhook-id': expect.stringMatching(/^msg_/),
      });
      const payload = JSON.parse(body.toString());
      expect(Object.keys(payload)).toEqual([
        'event_type',
        'user_id',
        'data',
        'timestamp',
        'webhook_id',
      ]);
      expect(payload).toEqual({
        event_type: type,
        user_id: ada.id,
        data,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        webhook_id: webhookId,
      });
    }
  });

  it('gets no signature without a secret, only the kinds it asked for, and nothing when disabled', async () => {
    const { ada, path, webhookId } = await configured({ events: ['draft.created'] });
    const producer = await producerOf(product());
    try {
      await producer.publish({ type: 'reminder.sent', userId: ada.id, data: {} });
      await producer.publish({ type: 'draft.created', userId: ada.id, data: { n: 1 } });
      const first = await receiver.waitFor((request) => request.path === path, DELIVERED_WITHIN_MS);
      expect(JSON.parse(first.body.toString())).toMatchObject({ event_type: 'draft.created' });
      expect(first.headers).not.toHaveProperty('x-service-signature');

      const off = await ada.call('PATCH', `/api/webhooks/${webhookId}`, {
        json: { enabled: false },
      });
      expect(off).toMatchObject({ status: 200, body: { enabled: false, status: 'disabled' } });
      await producer.publish({ type: 'draft.created', userId: ada.id, data: { n: 2 } });
      // The log of the webhook says when the event has been seen, and that it was held.
      const held = () => ada.call('GET', `/api/deliveries?webhook_id=${webhookId}&status=held`);
      await expect(eventuallyOne(held)).resolves.toMatchObject({ event_type: 'draft.created' });
      expect(receiver.requests.filter((request) => request.path === path)).toHaveLength(1);
    } finally {
      await producer.close();
    }
  });
});

it('a user who leaves is disconnected, their webhooks are gone, and their receipt says so', async () => {
  const { ada } = await configured({});
  await connect(ada, 'mailbox');
  const deletion = await ada.call('DELETE', '/api/auth/me', { json: { password: ada.password } });
  expect(deletion).toMatchObject({
    status: 200,
    body: { erased: { sessions: 1, api_keys: 0 } },
  });
  const { receipt_id } = deletion.body as { receipt_id: string };
  await eventually(async () => {
    const receipt = await api('GET', `/api/auth/deletion-receipts/${receipt_id}`);
    expect(receipt.body).toEqual({
      deleted_at: expect.any(String),
      services: {
        auth: { sessions: 1, api_keys: 0, passkeys: 0 },
        integrations: { connections: 1 },
        'webhook-dispatcher': { webhooks: 1 },
      },
      complete: true,
    });
  });
  const tokens = worker(product().endpoints);
  try {
    await eventually(
      async () => {
        const vended = tokens.get({ userId: ada.id, provider: 'mailbox' });
        await expect(vended).rejects.toMatchObject({ name: 'TokenRefusedError' });
        expect((await ada.call('GET', '/api/webhooks')).status).toBe(401);
      },
      { deadlineMs: DELIVERED_WITHIN_MS },
    );
  } finally {
    tokens.close();
  }
});

const producerOf = ({ endpoints }: ReturnType<typeof product>) =>
  kafkaProducer({ brokers: [endpoints.kafka], source: '/e2e' });

async function configured(additions: object) {
  const ada = await signUp(api);
  const path = `/hooks/${randomUUID()}`;
  const json = { url: receiver.url + path, events: KINDS, enabled: true, ...additions };
  const answer = await ada.call('POST', '/api/webhooks/configure', { json });
  expect(answer.status).toBe(201);
  const { webhook_id } = answer.body as { webhook_id: string };
  return { ada, path, webhookId: webhook_id };
}

async function scopesAskedFor(person: Person, provider: string): Promise<string[]> {
  const begun = await person.call('GET', `/api/integrations/${provider}/authorize`);
  const { authorization_url } = begun.body as { authorization_url: string };
  return new URL(authorization_url).searchParams.get('scope')?.split(' ') ?? [];
}

const eventuallyOne = (list: () => ReturnType<Call>): Promise<unknown> =>
  eventually(
    async () => {
      const { items } = (await list()).body as { items: readonly unknown[] };
      expect(items).not.toEqual([]);
      return items[0];
    },
    { deadlineMs: DELIVERED_WITHIN_MS },
  );
