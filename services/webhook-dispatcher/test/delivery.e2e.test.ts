import { randomBytes, randomUUID } from 'node:crypto';
import { credentials, Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import {
  AssistantEventsServiceClient,
  messageId,
  type PublishStreamResponse,
} from '@junction/contracts';
import { eventually, type ReceivedRequest } from '@junction/testing';
import { attemptsOf, listen, settled } from './observed.js';
import { idsOf, requestsAt } from './received.js';
import { useWorld } from './world.js';

const world = useWorld(() => ({ WEBHOOK_RETRY_SCHEDULE_S: '0.2,0.2' }));

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
    const listener = await listen(world(), made);
    const paused = await dispatcher.call(userId, 'PATCH', webhook, { json: { paused: true } });
    expect(paused.body).toMatchObject({ status: 'paused', enabled: true });
    await publish(userId, { data: { waiting: true } });
    expect(await settled(world(), made, 'pending')).toMatchObject({
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
    await settled(world(), made, 'pending');
    await dispatcher.call(userId, 'PATCH', webhook, { json: { enabled: false } });
    const held = await dispatcher.call(userId, 'GET', '/api/deliveries?status=held');
    expect(held.body['items']).toMatchObject([{ reason: 'webhook_disabled' }]);

    await dispatcher.call(userId, 'PATCH', webhook, { json: { enabled: true } });
    await publish(userId);
    await settled(world(), made, 'pending');
    expect((await dispatcher.call(userId, 'DELETE', webhook)).status).toBe(204);
    const { rows } = await database.pool.query(
      `select o.status from outcomes o join deliveries d using (day, delivery_id)
        where d.user_id = $1 order by o.at`,
      [userId],
    );
    expect(rows).toEqual([{ status: 'held' }, { status: 'cancelled' }]);
  });
});

describe('events published over gRPC', () => {
  it('are acknowledged or refused one by one, and delivered once on whatever road', async () => {
    const { newWebhook, publish, dispatcher } = world();
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
    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', '/api/events');
      expect(body['items']).toContainEqual(
        expect.objectContaining({ message_id: ids[0], repeats: 2 }),
      );
    });
    expect(of(path).map(({ body }) => body.includes(first.dataJson))).toContain(true);
  });
});

describe('GET /api/webhooks/{id}/deliveries/{id}', () => {
  it('shows every attempt of what the filter passed as it was sent, also when the webhook has moved', async () => {
    const { newWebhook, publish, receiver } = world();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const filter = { path: 'n', gte: 2 };
    const own = { Authorization: 'Bearer very-secret' };
    const webhook = await newWebhook({ secret, filter, headers: own });
    const { userId, webhookId, path, url } = webhook;
    await publish(userId, { data: { n: 1 } });
    receiver.answer(({ path: asked }) =>
      asked === path && of(path).length === 1 ? { status: 503, body: 'come back' } : { body: 'ok' },
    );
    const bytes = Buffer.from('{"n":9007199254740993, "text":"\\u0041é📬"}');
    await publish(userId, { bytes });

    const detail = await settled(world(), webhook, 'succeeded');
    const [first, second] = of(path);
    expect(detail['request_body']).toBe(first?.body.toString());
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(JSON.stringify(detail)).not.toContain(secret.slice('whsec_'.length));
    expect(second?.headers['authorization']).toBe('Bearer very-secret');
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
      request: {
        method: 'POST',
        url,
        headers: { ...headersOf(request), Authorization: '********' },
      },
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
    const json = { url: `${url}/moved`, secret: 'another' };
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, { json });
    const [before] = attemptsOf(await settled(world(), webhook, 'succeeded'));
    expect(before?.request).toMatchObject({ url, note: expect.stringContaining('signature') });
    expect(before?.request.headers).not.toHaveProperty('X-Service-Signature');

    const remove = (json?: object) =>
      dispatcher.call(userId, 'DELETE', '/api/webhooks/payloads', json && { json });
    expect(await remove({ before: '2020-01-01' })).toMatchObject({ status: 400 });
    expect(await remove()).toMatchObject({
      status: 202,
      body: { requested_at: expect.stringMatching(/Z$/) },
    });
    await eventually(async () => {
      expect(await settled(world(), webhook, 'succeeded')).toMatchObject({
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
});

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
  metadata.set(
    'authorization',
    `Bearer ${issuer.serviceToken('webhook-dispatcher', 'events:publish')}`,
  );
  const deadline = { deadline: Date.now() + 30_000 };
  return new Promise<PublishStreamResponse>((resolve, reject) => {
    const call = client.publishStream(metadata, deadline, (error, answer) => {
      client.close();
      if (error) reject(error);
      else resolve(answer);
    });
    for (const event of events) call.write(event);
    call.end();
  });
}

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
