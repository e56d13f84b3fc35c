import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, type ReceivedRequest } from '@junction/testing';
import { requestsAt } from './received.js';
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

    const { dispatcher } = world();
    const remove = (json?: object) =>
      dispatcher.call(userId, 'DELETE', '/api/webhooks/payloads', json && { json });
    expect(await remove({ before: '2020-01-01' })).toMatchObject({ status: 400 });
    expect(await remove()).toMatchObject({
      status: 202,
      body: { requested_at: expect.stringMatching(/Z$/) },
    });
    await eventually(async () => {
      expect(await settled(webhook, 'succeeded')).toMatchObject({
        request_body: null,
        payload_expunged_at: expect.any(String),
        attempts: [1, 2].map((attempt) => ({
          attempt,
          response_headers: null,
          response_sample: null,
        })),
      });
    });
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

describe('what was delivered', () => {
  it('is sent again on demand, with the same webhook-id and body', async () => {
    const { newWebhook, publish, dispatcher } = world();
    const webhook = await newWebhook();
    const { userId, webhookId, path } = webhook;
    await publish(userId);
    const { delivery_id: first } = await settled(webhook, 'succeeded');
    const log = `/api/webhooks/${webhookId}/deliveries`;
    const answer = await dispatcher.call(userId, 'POST', `${log}/${String(first)}/redeliver`);
    expect(answer.status).toBe(202);
    await eventually(() => expect(of(path)).toHaveLength(2));
    const [one, other] = of(path);
    expect(other?.body).toEqual(one?.body);
    expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    const again = await eventually(async () => {
      const { body } = await dispatcher.call(
        userId,
        'GET',
        `${log}/${String(answer.body['delivery_id'])}`,
      );
      expect(body).toMatchObject({ status: 'succeeded', redelivery_of: first });
      return body;
    });
    expect(attemptsOf(again)).toHaveLength(1);

    const event = await dispatcher.call(
      userId,
      'GET',
      `/api/events/${String(again['message_id'])}`,
    );
    expect(event.body).toMatchObject({
      event_type: 'draft.created',
      webhooks: [{ webhook_id: webhookId, matched: true, verdict: 'pending' }],
      deliveries: [{ delivery_id: first }, { redelivery_of: first }],
    });
    const payload = `${log}/${String(first)}/payload`;
    expect((await dispatcher.call(userId, 'DELETE', payload)).status).toBe(204);
    const { body } = await dispatcher.call(userId, 'GET', `${log}/${String(first)}`);
    expect(body).toMatchObject({ request_body: null, payload_expunged_at: expect.any(String) });
  });

  it('goes out by a replay when it was held: counted first, then confirmed, seen as it happens', async () => {
    const { newWebhook, publish, dispatcher } = world();
    const { userId, webhookId, path } = await newWebhook({ enabled: false });
    for (let n = 0; n < 3; n++) await publish(userId, { data: { n } });
    await eventually(async () => {
      const list = await dispatcher.call(userId, 'GET', `/api/webhooks/${webhookId}/deliveries`);
      expect(list.body['items']).toHaveLength(3);
    });
    const replay = (wish: object) =>
      dispatcher.call(userId, 'POST', `/api/webhooks/${webhookId}/replay`, {
        json: {
          from: new Date(Date.now() - 3_600_000).toISOString(),
          to: new Date(Date.now() + 60_000).toISOString(),
          ...wish,
        },
      });
    expect(await replay({})).toMatchObject({ status: 409, body: { code: 'webhook_disabled' } });
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { enabled: true },
    });
    expect(await replay({})).toMatchObject({
      status: 200,
      body: { count: 3, count_is_exact: true, confirmed: false },
    });
    expect(await replay({ outcomes: ['cancelled'] })).toMatchObject({ status: 400 });
    expect(of(path)).toHaveLength(0);

    const listener = await listen(userId, webhookId);
    const begun = await replay({ confirm: true });
    expect(begun).toMatchObject({ status: 202, body: { count: 3 } });
    const operation = `/api/webhooks/operations/${String(begun.body['operation_id'])}`;
    await eventually(async () => {
      expect((await dispatcher.call(userId, 'GET', operation)).body).toMatchObject({
        status: 'completed',
        sent: 3,
        progress: 1,
      });
      expect(new Set(of(path).map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    });
    await eventually(() => {
      expect(listener.text().match(/event: delivery.attempted/g)).toHaveLength(3);
      expect(listener.text()).toMatch(/event: operation.progressed\ndata: .*"completed"/);
    });
    listener.close();

    // Who was cut off goes on after what it has seen.
    const [, firstId = ''] = /id: (\d+)/.exec(listener.text()) ?? [];
    const later = await listen(userId, webhookId, firstId);
    await eventually(() => {
      expect(later.text().match(/^id: /gm)).toHaveLength(
        (listener.text().match(/^id: /gm) ?? []).length - 1,
      );
    });
    later.close();
    expect((await replay({})).body['count']).toBe(0);
    const { newUser } = world();
    expect((await dispatcher.call(newUser(), 'GET', operation)).status).toBe(404);
    expect((await dispatcher.call(userId, 'DELETE', operation)).status).toBe(204);
  });

  it('is counted by the hour, with a test event of any kind among it', async () => {
    const { newWebhook, dispatcher, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    const test = `/api/webhooks/${webhookId}/test`;
    const kind = 'inbox.organized';
    const { status, body } = await dispatcher.call(userId, 'POST', test, { json: { kind } });
    expect(status).toBe(202);
    const request = await receiver.waitFor((one) => one.path === path);
    expect(request.headers['webhook-id']).toBe(body['message_id']);
    expect(JSON.parse(request.body.toString())).toMatchObject({
      event_type: kind,
      data: { total_emails: expect.any(Number), test: true },
    });
    const wrong = await dispatcher.call(userId, 'POST', test, { json: { kind: 'no.such' } });
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ field: 'kind' }] } });

    await eventually(async () => {
      const stats = await dispatcher.call(userId, 'GET', `/api/webhooks/${webhookId}/stats`);
      expect(stats.body).toMatchObject({
        items: [{ attempts: 1, succeeded: 1, failed: 0 }],
        total: { success_rate: 1, latency_ms: { p50: expect.any(Number) } },
      });
    });
    const events = await dispatcher.call(userId, 'GET', '/api/events?kind=inbox.organized');
    expect(events.body).toMatchObject({ items: [{ source: 'junction/test' }], next_cursor: null });
  });

  it('is of kinds that anybody may look up', async () => {
    const { body, status } = await world().dispatcher.call(
      undefined,
      'GET',
      '/api/webhooks/event-types',
    );
    expect(status).toBe(200);
    for (const [kind, isOptIn] of [
      ['draft.created', false],
      ['webhook.recovered', true],
      ['integration.reconnect_required', true],
    ] as const) {
      expect(body['items']).toContainEqual({
        event_type: kind,
        description: expect.stringMatching(/\.$/),
        opt_in: isOptIn,
        schema: expect.objectContaining({ type: 'object' }),
        example: expect.any(Object),
      });
    }
  });

  it('is streamed to nobody without a token, and no longer than the token lasts', async () => {
    const { newWebhook, dispatcher, issuer } = world();
    const path = '/api/webhooks/stream';
    expect((await dispatcher.call(undefined, 'GET', path)).status).toBe(401);
    const { userId } = await newWebhook();
    const response = await eventually(async () => {
      const token = issuer.userToken(userId, { ttlS: 2 });
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(dispatcher.url + path, { headers });
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(await response.text()).toContain('retry: ');
  });
});

/** Reads the live tail of a webhook until it is closed. */
async function listen(userId: string, webhookId: string, lastEventId?: string) {
  const { dispatcher, issuer } = world();
  const closing = new AbortController();
  const response = await fetch(`${dispatcher.url}/api/webhooks/stream?webhook_id=${webhookId}`, {
    headers: {
      authorization: `Bearer ${issuer.userToken(userId)}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: closing.signal,
  });
  let text = '';
  const reading = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
  };
  reading().catch(() => undefined);
  return { text: () => text, close: () => closing.abort() };
}

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

const of = (path: string) => requestsAt(world().receiver, path);

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
