import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, type ReceivedRequest } from '@junction/testing';
import { type NewWebhook, useWorld } from './world.js';

const world = useWorld(() => ({ WEBHOOK_RETRY_SCHEDULE_S: '0.2,0.2' }));

describe('GET /api/webhooks/{id}/deliveries/{id}', () => {
  it('shows every attempt as it was sent, and what came back', async () => {
    const { newWebhook, publish, receiver } = world();
    const webhook = await newWebhook({ secret: `whsec_${randomBytes(32).toString('base64')}` });
    const { userId, path, url } = webhook;
    receiver.answer(({ path: asked }) =>
      asked === path && of(path).length === 1 ? { status: 503, body: 'come back' } : { body: 'ok' },
    );
    const bytes = Buffer.from('{"n":9007199254740993, "text":"\\u0041é📬"}');
    await publish(userId, { bytes });

    const detail = await settled(webhook, 'succeeded');
    const [first, second] = of(path);
    expect(detail['request_body']).toBe(first?.body.toString());
    expect(detail['request_body']).toContain(bytes.toString());
    const attempt = (n: number, request: ReceivedRequest | undefined) => ({
      attempt: n,
      at: expect.stringMatching(/Z$/),
      headers_ms: expect.any(Number),
      total_ms: expect.any(Number),
      response_headers: expect.arrayContaining([{ name: 'connection', value: 'keep-alive' }]),
      request: { method: 'POST', url, headers: headersOf(request) },
    });
    expect(detail['attempts']).toEqual([
      {
        ...attempt(1, first),
        timing: timing({ connect_ms: expect.any(Number) }),
        result: 'http_503',
        detail: 'The receiver answered with HTTP 503. Only 2xx is success.',
        response_status: 503,
        response_sample: 'come back',
      },
      {
        ...attempt(2, second),
        timing: timing({ connect_ms: null }),
        result: 'succeeded',
        detail: null,
        response_status: 200,
        response_sample: 'ok',
      },
    ]);
    receiver.answer({});
  });

  it('shows an unsigned request without a signature, also when a secret came later', async () => {
    const { newWebhook, publish, dispatcher, receiver } = world();
    const webhook = await newWebhook();
    const { userId, webhookId, path } = webhook;
    await publish(userId);
    await settled(webhook, 'succeeded');
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { secret: 'later' },
    });

    const [attempt] = attemptsOf(await settled(webhook, 'succeeded'));
    const request = receiver.requests.find((one) => one.path === path);
    expect(attempt?.request.headers).toEqual(headersOf(request));
    expect(Object.keys(attempt?.request.headers ?? {})).not.toContain('X-Service-Signature');
    expect(attempt?.request).not.toHaveProperty('note');
  });

  it('knows where it went before the url was changed, and says when a signature is lost', async () => {
    const { newWebhook, publish, dispatcher } = world();
    const webhook = await newWebhook({ secret: 'first' });
    const { userId, webhookId, url } = webhook;
    await publish(userId);
    await settled(webhook, 'succeeded');
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { url: `${url}/moved`, secret: 'second' },
    });

    const [attempt] = attemptsOf(await settled(webhook, 'succeeded'));
    expect(attempt?.request).toMatchObject({ url, note: expect.stringContaining('signature') });
    expect(attempt?.request.headers).not.toHaveProperty('X-Service-Signature');
  });

  it("holds no secret, and is nobody else's to read", async () => {
    const { newWebhook, newUser, publish, dispatcher } = world();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const webhook = await newWebhook({ secret });
    await publish(webhook.userId);
    const detail = await settled(webhook, 'succeeded');
    expect(JSON.stringify(detail)).not.toContain(secret.slice('whsec_'.length));

    const path = `/api/webhooks/${webhook.webhookId}/deliveries/${String(detail['delivery_id'])}`;
    expect((await dispatcher.call(newUser(), 'GET', path)).status).toBe(404);
  });

  it('shows what waits before its first attempt', async () => {
    const { newWebhook, publish, dispatcher } = world();
    const webhook = await newWebhook();
    const { userId, webhookId } = webhook;
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { paused: true },
    });
    await publish(userId, { data: { waiting: true } });
    expect(await settled(webhook, 'pending')).toMatchObject({
      attempts: [],
      request_body: expect.stringContaining('"waiting":true'),
    });
  });
});

/** Plain HTTP to an address: there is no name to resolve, and no TLS. */
const timing = (connection: object) => ({
  dns_ms: null,
  tls_ms: null,
  first_byte_ms: expect.any(Number),
  total_ms: expect.any(Number),
  ...connection,
});

interface Attempt {
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

const attemptsOf = (detail: Record<string, unknown>) => detail['attempts'] as Attempt[];

const of = (path: string) => world().receiver.requests.filter((one) => one.path === path);

/** The headers that are ours, by the names they are shown with. */
function headersOf(request: ReceivedRequest | undefined) {
  const names = [
    'content-type',
    'user-agent',
    'webhook-id',
    'webhook-timestamp',
    'X-Service-Signature',
    'webhook-signature',
  ];
  const received = names.map((name) => [name, request?.headers[name.toLowerCase()]] as const);
  return Object.fromEntries(received.filter(([, value]) => value !== undefined));
}

/** The one delivery of a webhook in detail, once it has that status. */
const settled = ({ userId, webhookId }: NewWebhook, status: string) =>
  eventually(async () => {
    const { call } = world().dispatcher;
    const log = `/api/webhooks/${webhookId}/deliveries`;
    const list = await call(userId, 'GET', `${log}?status=${status}&kind=draft.created`);
    expect(list.body['items']).toHaveLength(1);
    const [item] = list.body['items'] as { readonly delivery_id: string }[];
    return (await call(userId, 'GET', `${log}/${item?.delivery_id}`)).body;
  });
