import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { credentials, Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import {
  AssistantEventsServiceClient,
  messageId,
  type PublishStreamResponse,
} from '@junction/contracts';
import { eventually, type ReceivedRequest } from '@junction/testing';
import { Webhook } from 'standardwebhooks';
import { idsOf, requestsAt } from './received.js';
import { type NewWebhook, useWorld } from './world.js';

const world = useWorld(() => ({
  WEBHOOK_RETRY_SCHEDULE_S: '0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2',
  WEBHOOK_BREAKER_RESET_S: '1',
}));

describe('an event', () => {
  it('is delivered with exactly the five fields and the data byte for byte', async () => {
    const { newWebhook, publish, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    const bytes = Buffer.from(' {"n":9007199254740993,"one":1.0,"b":2, "a":"\\u0041é📬\\u0000"}');
    await publish(userId, { bytes, headers: { ce_time: '2030-01-02T05:04:05.678+02:00' } });

    const request = await receiver.waitFor((one) => one.path === path);
    expect(request.method).toBe('POST');
    expect(request.headers['content-type']).toBe('application/json');
    const head = `{"event_type":"draft.created","user_id":"${userId}","data":`;
    const tail = `,"timestamp":"2030-01-02T03:04:05.678Z","webhook_id":"${webhookId}"}`;
    expect(request.body.toString()).toBe(head + bytes.toString() + tail);
  });
});

describe('the same source and id', () => {
  it('are another event for another user; for the same user they are a repeat, which is shown', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const [one, other] = [await newWebhook(), await newWebhook()];
    const headers = { ce_id: 'daily' };
    await publish(one.userId, { headers });
    await publish(other.userId, { headers });
    await publish(one.userId, { headers });
    for (const { path } of [one, other]) await receiver.waitFor((request) => request.path === path);

    await eventually(async () => {
      const { body } = await dispatcher.call(one.userId, 'GET', '/api/events');
      expect(body['items']).toMatchObject([{ repeats: 1, last_repeat_at: expect.any(String) }]);
    });
    const { body } = await dispatcher.call(other.userId, 'GET', '/api/events');
    expect(body['items']).toMatchObject([{ repeats: 0, last_repeat_at: null }]);
    expect(requestsAt(receiver, one.path)).toHaveLength(1);
  });
});

describe('the signature', () => {
  it('is the HMAC of the bytes sent, and one that Standard Webhooks verifies', async () => {
    const { newWebhook, publish, receiver } = world();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const { userId, path } = await newWebhook({ secret });
    await publish(userId, { data: { subject: 'Grüße' } });

    const { headers, body } = await receiver.waitFor((one) => one.path === path);
    expect(headers['x-service-signature']).toBe(signatureOf(secret, body));
    const verified = new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
    expect(verified).toMatchObject({ data: { subject: 'Grüße' } });
  });
});

describe('a failing receiver', () => {
  it('is seen by a page that asks for news of its webhook, and no reason to refuse a change', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path } = await newWebhook({ retry_schedule: [3_600] });
    receiver.answer(({ path: asked }) => (asked === path ? { status: 500 } : {}));
    const webhook = `/api/webhooks/${webhookId}`;
    const read = (headers = {}) => dispatcher.call(userId, 'GET', webhook, { headers });
    const tag = (await read()).headers.get('etag') ?? 'missing';
    // Beside If-None-Match fetch asks for no-cache, unless something is asked for, and express obeys.
    const unchanged = { 'if-none-match': tag, 'cache-control': 'max-age=0' };
    expect((await read(unchanged)).status).toBe(304);

    await publish(userId);
    await eventually(async () => {
      expect(await read(unchanged)).toMatchObject({
        status: 200,
        body: { failing: { reason: 'http_500' } },
      });
    });
    const json = { description: 'being mended' };
    const headers = { 'if-match': tag };
    expect((await dispatcher.call(userId, 'PATCH', webhook, { json, headers })).status).toBe(200);
    receiver.answer({});
  });

  it('exhausts the delivery and disables the webhook when it says that it is gone; enabling lifts that', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    receiver.answer(({ path: asked }) => (asked === path ? { status: 410 } : {}));
    await publish(userId);

    const webhook = `/api/webhooks/${webhookId}`;
    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', webhook);
      expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'gone_410' });
    });
    const exhausted = await dispatcher.call(
      userId,
      'GET',
      `${webhook}/deliveries?status=exhausted`,
    );
    expect(exhausted.body['items']).toMatchObject([{ reason: 'gone_410', attempt_count: 1 }]);

    await publish(userId);
    await eventually(async () => {
      const held = await dispatcher.call(userId, 'GET', `${webhook}/deliveries?status=held`);
      expect(held.body['items']).toHaveLength(1);
    });
    receiver.answer({});
    const enabled = await dispatcher.call(userId, 'PATCH', webhook, { json: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, status: 'active' });
    await publish(userId, { data: { after: true } });
    await receiver.waitFor((one) => one.path === path && one.body.includes('"after"'));
    expect(requestsAt(receiver, path)).toHaveLength(2);
  });
});

describe('a webhook that moves to another url during a request to the old one', () => {
  it('gets its deliveries there at once, and is not disabled by the answer of the old one', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path, url } = await newWebhook();
    let answerOld = () => {};
    const after = new Promise<void>((resolve) => (answerOld = resolve));
    receiver.answer((request) => (request.path === path ? { status: 410, after } : {}));
    for (let n = 0; n < 10; n++) await publish(userId, { data: { n } });
    await receiver.waitFor((one) => one.path === path);

    const webhook = `/api/webhooks/${webhookId}`;
    await dispatcher.call(userId, 'PATCH', webhook, { json: { url: `${url}/new` } });
    await publish(userId, { data: { late: true } });
    await receiver.waitFor((one) => one.path === `${path}/new` && one.body.includes('"late"'));

    answerOld();
    const sent = `${webhook}/deliveries?status=succeeded`;
    await eventually(async () => {
      expect((await dispatcher.call(userId, 'GET', sent)).body['items']).toHaveLength(11);
    });
    const { body } = await dispatcher.call(userId, 'GET', webhook);
    expect(body).toMatchObject({ enabled: true, status: 'active' });
    receiver.answer({});
  });
});

describe('a receiver that is down', () => {
  it('gets its circuit opened, which its owner sees, and is served when it is back', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    const webhook = `/api/webhooks/${webhookId}`;
    let isDown = true;
    receiver.answer((request) => (request.path === path && isDown ? { status: 500 } : {}));
    for (let n = 1; n <= 6; n++) await publish(userId, { data: { n } });

    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', webhook);
      expect(body).toMatchObject({
        status: 'active',
        circuit: { state: 'open', probe_at: expect.stringMatching(/Z$/) },
      });
    });
    isDown = false;
    await eventually(
      async () => {
        const done = await dispatcher.call(userId, 'GET', `${webhook}/deliveries?status=succeeded`);
        expect(done.body['items']).toHaveLength(6);
      },
      { deadlineMs: 45_000 },
    );
    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', webhook);
      expect(body).not.toHaveProperty('circuit');
    });
    receiver.answer({});
  });
});

describe('a webhook with a filter and headers', () => {
  it('gets what passes, with its headers, whose values are shown to nobody', async () => {
    const { newWebhook, dispatcher, publish, receiver, database } = world();
    const filter = { any: [{ path: 'n', gte: 2 }] };
    const headers = { Authorization: 'Bearer very-secret' };
    const { userId, webhookId, path } = await newWebhook({ filter, headers });
    await publish(userId, { data: { n: 1 } });
    await publish(userId, { bytes: Buffer.from('{"n":2.0}') });

    const request = await receiver.waitFor((one) => one.path === path);
    expect(request.body.includes('"data":{"n":2.0}')).toBe(true);
    expect(request.headers['authorization']).toBe('Bearer very-secret');
    const webhook = `/api/webhooks/${webhookId}`;
    const { items } = (await dispatcher.call(userId, 'GET', `${webhook}/deliveries`)).body;
    const [delivery] = items as { delivery_id: string }[];
    await eventually(async () => {
      const url = `${webhook}/deliveries/${delivery?.delivery_id}`;
      const detail = JSON.stringify((await dispatcher.call(userId, 'GET', url)).body);
      expect(detail).toContain('"Authorization":"********"');
      expect(detail).not.toContain('very-secret');
    });
    const { rows } = await database.pool.query<{ verdicts: Record<string, string> }>(
      'select verdicts from seen_events where user_id = $1',
      [userId],
    );
    const verdicts = rows.map((row) => row.verdicts[webhookId]).sort();
    expect(verdicts).toEqual(['filtered', 'pending']);
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

    const { items } = (await dispatcher.call(userId, 'GET', `${webhook}/deliveries`)).body;
    const [delivery] = items as { delivery_id: string }[];
    await eventually(async () => {
      const url = `${webhook}/deliveries/${delivery?.delivery_id}`;
      const detail = await dispatcher.call(userId, 'GET', url);
      const [attempt] = detail.body['attempts'] as { request: { headers: object } }[];
      expect(attempt?.request.headers).toMatchObject({
        'webhook-signature': request.headers['webhook-signature'],
      });
    });
  });
});

describe('the owner of several webhooks', () => {
  it('is notified by another one when a webhook is disabled, and not by the disabled one itself', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const kinds = ['webhook.disabled', 'webhook.exhausted'];
    const { userId, webhookId, path } = await newWebhook({ events: ['draft.created', ...kinds] });
    const told = { url: `${receiver.url}/told/${webhookId}`, events: kinds, enabled: true };
    await dispatcher.call(userId, 'POST', '/api/webhooks/configure', { json: told });
    // Everybody is gone: what becomes of the notices themselves is told by no other.
    receiver.answer((request) =>
      request.path === path || request.path.endsWith(webhookId) ? { status: 410 } : {},
    );
    await publish(userId);

    const notice = await receiver.waitFor((one) => one.path === `/told/${webhookId}`);
    expect(dataOf(notice.body)).toMatchObject({ webhook_id: webhookId });
    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', '/api/webhooks');
      const gone = { status: 'disabled', disabled_reason: 'gone_410' };
      expect(body['items']).toMatchObject([gone, { ...gone, webhook_id: webhookId }]);
    });
    const { rows } = await eventually(async () => {
      const seen = await world().database.pool.query<{ kind: string; verdict: string }>(
        `select kind, verdicts ->> $2 as verdict from seen_events where user_id = $1 order by kind`,
        [userId, webhookId],
      );
      expect(seen.rows).toHaveLength(3);
      return seen;
    });
    expect(rows).toEqual([
      { kind: 'draft.created', verdict: 'pending' },
      { kind: 'webhook.disabled', verdict: 'about_itself' },
      { kind: 'webhook.exhausted', verdict: 'about_itself' },
    ]);
    expect(requestsAt(receiver, path)).toHaveLength(1);
    receiver.answer({});
  });
});

describe('a paused webhook', () => {
  it('gets the deliveries that came meanwhile when it is resumed, and listeners see them', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const made = await newWebhook();
    const { userId, webhookId, path } = made;
    const webhook = `/api/webhooks/${webhookId}`;
    const listener = await listen(userId, webhookId);
    const paused = await dispatcher.call(userId, 'PATCH', webhook, { json: { paused: true } });
    expect(paused.body).toMatchObject({ status: 'paused', enabled: true });
    await publish(userId, { data: { waiting: true } });
    expect(await settled(made, 'pending')).toMatchObject({
      attempts: [],
      request_body: expect.stringContaining('"waiting":true'),
    });
    expect(requestsAt(receiver, path)).toHaveLength(0);

    await dispatcher.call(userId, 'PATCH', webhook, { json: { paused: false } });
    await receiver.waitFor((one) => one.path === path);
    expect(requestsAt(receiver, path)).toHaveLength(1);
    await eventually(() => {
      const told = listener.text().match(/(?<=^event: ).*$/gm);
      expect(told).toEqual([
        'stream.opened',
        'webhook.changed',
        'delivery.filed',
        'webhook.changed',
        'delivery.attempted',
      ]);
    });
    listener.close();
  });

  it('has what waits held when it is disabled and cancelled when it is deleted', async () => {
    const { newWebhook, dispatcher, publish, database } = world();
    const made = await newWebhook();
    const { userId, webhookId } = made;
    const webhook = `/api/webhooks/${webhookId}`;
    await dispatcher.call(userId, 'PATCH', webhook, { json: { paused: true } });
    await publish(userId);
    await settled(made, 'pending');
    await dispatcher.call(userId, 'PATCH', webhook, { json: { enabled: false } });
    const held = await dispatcher.call(userId, 'GET', `${webhook}/deliveries?status=held`);
    expect(held.body['items']).toMatchObject([{ reason: 'webhook_disabled' }]);

    await dispatcher.call(userId, 'PATCH', webhook, { json: { enabled: true } });
    await publish(userId);
    await settled(made, 'pending');
    expect((await dispatcher.call(userId, 'DELETE', webhook)).status).toBe(204);
    const { rows } = await database.pool.query(
      `select o.status from outcomes o join deliveries d using (day, delivery_id)
        where d.user_id = $1 order by o.at`,
      [userId],
    );
    expect(rows).toEqual([{ status: 'held' }, { status: 'cancelled' }]);
  });
});

describe('a record that breaks a rule of its topic', () => {
  it('becomes a dead letter with its reason, and the next one is delivered', async () => {
    const { newWebhook, publish, receiver, database } = world();
    const { userId, path } = await newWebhook();
    await publish(userId, { bytes: Buffer.from('{') });
    await publish(userId, { data: { next: true } });

    await receiver.waitFor((one) => one.path === path && one.body.includes('"next"'));
    const { rows } = await database.pool.query(
      'select reason_code, reason_text from dead_letters where user_id = $1',
      [userId],
    );
    expect(rows).toEqual([{ reason_code: 'data_not_json', reason_text: expect.any(String) }]);
    expect(requestsAt(receiver, path)).toHaveLength(1);
  });
});

describe('events published over gRPC', () => {
  it('are acknowledged or refused one by one, and delivered once on whatever road', async () => {
    const { newWebhook, publish } = world();
    const { userId, path } = await newWebhook();
    const [first, last] = [outgoing(userId), outgoing(userId)];
    const broken = outgoing(userId, Buffer.from('{'));
    const ids = [first, last].map(({ source, id }) => messageId(source, id, userId));
    expect(await publishAll([first, broken, first, last])).toEqual({
      messageIds: [ids[0], '', ids[0], ids[1]],
      refused: [
        { index: 1, field: 'data_json', code: 'data_not_json', reason: 'data must be valid JSON.' },
      ],
    });
    const again = { ce_id: first.id, ce_source: first.source };
    await publish(userId, { headers: again, bytes: first.dataJson });
    const end = await publish(userId);

    ids.push(end);
    await eventually(() => expect(new Set(idsOf(of(path)))).toEqual(new Set(ids)));
    expect(of(path)).toHaveLength(ids.length);
    expect(of(path).map(({ body }) => body.includes(first.dataJson))).toContain(true);
  });

  it('end a stream that is too long', async () => {
    const event = outgoing(randomUUID());
    const events = Array.from({ length: 10_001 }, () => event);
    await expect(publishAll(events)).rejects.toMatchObject({ code: status.OUT_OF_RANGE });
  });
});

describe('GET /api/webhooks/{id}/deliveries/{id}', () => {
  it('shows every attempt as it was sent, and what came back', async () => {
    const { newWebhook, publish, receiver } = world();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const webhook = await newWebhook({ secret });
    const { userId, path, url } = webhook;
    receiver.answer(({ path: asked }) =>
      asked === path && of(path).length === 1 ? { status: 503, body: 'come back' } : { body: 'ok' },
    );
    const bytes = Buffer.from('{"n":9007199254740993, "text":"\\u0041é📬"}');
    await publish(userId, { bytes });

    const detail = await settled(webhook, 'succeeded');
    const [first, second] = of(path);
    expect(detail['request_body']).toBe(first?.body.toString());
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(JSON.stringify(detail)).not.toContain(secret.slice('whsec_'.length));
    expect(detail['request_body']).toContain(bytes.toString());
    const attempt = (n: number, request: ReceivedRequest | undefined) => ({
      attempt: n,
      at: expect.stringMatching(/Z$/),
      // Plain HTTP to an address: there is no name to resolve, and no TLS.
      timing: expect.objectContaining({
        dns_ms: null,
        tls_ms: null,
        first_byte_ms: expect.any(Number),
        total_ms: expect.any(Number),
      }),
      response_headers: expect.arrayContaining([{ name: 'connection', value: 'keep-alive' }]),
      request: { method: 'POST', url, headers: headersOf(request) },
    });
    expect(detail['attempts']).toEqual([
      {
        ...attempt(1, first),
        result: 'http_503',
        detail: 'The receiver answered with HTTP 503. Only 2xx is success.',
        response_status: 503,
        response_sample: 'come back',
      },
      {
        ...attempt(2, second),
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
});

describe('a delivery', () => {
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
    const replay = (request: object) =>
      dispatcher.call(userId, 'POST', `/api/webhooks/${webhookId}/replay`, {
        json: {
          from: new Date(Date.now() - 3_600_000).toISOString(),
          to: new Date(Date.now() + 60_000).toISOString(),
          ...request,
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
    const repeats = await dispatcher.call(userId, 'GET', `/api/webhooks/${webhookId}/deliveries`);
    const sent = (repeats.body['items'] as readonly Record<string, unknown>[]).slice(0, 3);
    for (const one of sent) {
      expect(one).toMatchObject({
        operation_id: begun.body['operation_id'],
        redelivery_of: expect.any(String),
        test: false,
      });
    }
    await eventually(() => {
      expect(listener.text().match(/event: delivery.attempted/g)).toHaveLength(3);
      for (const id of idsOf(of(path))) expect(listener.text()).toContain(`"message_id":"${id}"`);
      expect(listener.text()).toMatch(/event: operation.progressed\ndata: .*"completed"/);
    });
    listener.close();

    // A listener that was cut off continues behind the last entry that it has seen.
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id);
    const [openedAt, first, ...others] = ids(listener.text());
    expect(listener.text()).toContain(`id: ${openedAt}\nevent: stream.opened\n`);
    const later = await listen(userId, webhookId, first);
    const all = await listen(userId, webhookId, openedAt);
    const ahead = await listen(userId, webhookId, '9'.repeat(18));
    await eventually(() => {
      expect(ids(later.text())).toEqual(others);
      expect(ids(all.text())).toEqual([first, ...others]);
      // A number from before a restore would hear nothing until the numbers have come so far.
      expect(ahead.text()).toContain(`id: ${others.at(-1)}\nevent: stream.opened\n`);
    });
    ahead.close();
    all.close();
    later.close();
    expect((await replay({})).body['count']).toBe(0);
    const list = `/api/webhooks/operations?webhook_id=${webhookId}`;
    const [listed] = (await dispatcher.call(userId, 'GET', list)).body['items'] as object[];
    expect(listed).toMatchObject({ operation_id: begun.body['operation_id'], status: 'completed' });
    const { newUser } = world();
    expect((await dispatcher.call(newUser(), 'GET', list)).body['items']).toEqual([]);
    expect((await dispatcher.call(newUser(), 'GET', operation)).status).toBe(404);
    expect((await dispatcher.call(userId, 'DELETE', operation)).status).toBe(204);
  });

  it('is counted by the hour, and so is a test event of any kind', async () => {
    const { newWebhook, dispatcher, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    const test = `/api/webhooks/${webhookId}/test`;
    const kind = 'inbox.organized';
    const { status, body, headers } = await dispatcher.call(userId, 'POST', test, {
      json: { kind },
    });
    expect(status).toBe(202);
    const sent = await dispatcher.call(userId, 'GET', headers.get('location') ?? 'missing');
    expect(sent.body).toMatchObject({ delivery_id: body['delivery_id'], test: true });
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
        waiting: 0,
      });
      const all = await dispatcher.call(userId, 'GET', '/api/webhooks/stats');
      expect(all.body).toMatchObject({ items: stats.body['items'], total: stats.body['total'] });
      const ids = `${webhookId},wh_${randomUUID()}`;
      const each = await dispatcher.call(userId, 'GET', `/api/webhooks/stats?webhook_ids=${ids}`);
      const { items, total, waiting } = stats.body;
      expect(each.body).toMatchObject({
        total,
        webhooks: [{ webhook_id: webhookId, items, total, waiting }],
      });
      expect(each.body['webhooks']).toHaveLength(1);
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

  it("is streamed to nobody without a token or of a stranger's webhook, and no longer than the token lasts", async () => {
    const { newWebhook, dispatcher, issuer } = world();
    const path = '/api/webhooks/stream';
    expect((await dispatcher.call(undefined, 'GET', path)).status).toBe(401);
    const [{ userId }, stranger] = [await newWebhook(), await newWebhook()];
    const another = await dispatcher.call(
      userId,
      'GET',
      `${path}?webhook_id=${stranger.webhookId}`,
    );
    expect(another).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } });
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

const signatureOf = (secret: string, body: Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const dataOf = (body: Buffer) =>
  (JSON.parse(body.toString()) as { data: Record<string, unknown> }).data;

const outgoing = (userId: string, dataJson = Buffer.from('{ "n": 1.0 }')) => ({
  id: randomUUID(),
  source: 'assistant/tests',
  type: 'draft.created',
  userId,
  time: new Date(),
  dataJson,
});

async function publishAll(
  events: readonly ReturnType<typeof outgoing>[],
): Promise<PublishStreamResponse> {
  const { dispatcher, issuer } = world();
  const channel = credentials.createInsecure();
  const client = new AssistantEventsServiceClient(dispatcher.grpcAddress, channel);
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${issuer.serviceToken()}`);
  return new Promise<PublishStreamResponse>((resolve, reject) => {
    const deadline = Date.now() + 20_000;
    const call = client.publishStream(metadata, { deadline }, (error, answer) => {
      client.close();
      if (error) reject(error);
      else resolve(answer);
    });
    for (const event of events) call.write(event);
    call.end();
  });
}

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
