import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { messageId } from '@junction/contracts';
import { eventually, type ReceivedRequest } from '@junction/testing';
import { Webhook } from 'standardwebhooks';
import { requestsAt } from './received.js';
import { useWorld } from './world.js';

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

  it('is delivered when it is published right after configure answered', async () => {
    const { newWebhook, publish, receiver } = world();
    const webhooks = await Promise.all(Array.from({ length: 5 }, () => newWebhook()));
    await Promise.all(webhooks.map(({ userId }) => publish(userId)));
    for (const { path } of webhooks) {
      await expect(receiver.waitFor((one) => one.path === path)).resolves.toBeDefined();
    }
  });

  it('is one delivery although it comes twice', async () => {
    const { newWebhook, publish, receiver } = world();
    const { userId, path } = await newWebhook();
    const id = await publish(userId, { data: { n: 1 } });
    await publish(userId, { data: { n: 1 }, headers: { ce_id: id } });
    await publish(userId, { data: { last: true } });

    await receiver.waitFor((one) => one.path === path && one.body.includes('"last"'));
    const first = requestsAt(receiver, path).filter((one) => one.body.includes('"n":1'));
    expect(first).toHaveLength(1);
    expect(first[0]?.headers['webhook-id']).toBe(messageId('/tests', id));
  });

  it('goes to every webhook of its user that selected its kind, and to no other', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, path } = await newWebhook();
    const other = { events: ['reminder.sent'], enabled: true };
    const configure = (suffix: string, json: object) =>
      dispatcher.call(userId, 'POST', '/api/webhooks/configure', {
        json: { ...other, url: `${receiver.url}${path}/${suffix}`, ...json },
      });
    await configure('second', { events: ['draft.created', 'reminder.sent'] });
    await configure('unwanted', {});
    await publish(userId);
    await publish(userId, { headers: { ce_type: 'reminder.sent' }, data: { last: true } });

    await receiver.waitFor((one) => one.path === `${path}/unwanted`);
    await receiver.waitFor((one) => one.path === `${path}/second` && one.body.includes('"last"'));
    expect(requestsAt(receiver, path)).toHaveLength(1);
    expect(requestsAt(receiver, `${path}/second`)).toHaveLength(2);
    expect(requestsAt(receiver, `${path}/unwanted`)).toHaveLength(1);
  });
});

describe('the signature', () => {
  it('is absent without a secret, the parallel one too', async () => {
    const { newWebhook, publish, receiver } = world();
    const { userId, path } = await newWebhook();
    await publish(userId);
    const { headers } = await receiver.waitFor((one) => one.path === path);
    expect(headers).not.toHaveProperty('x-service-signature');
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(headers['webhook-id']).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(headers['webhook-timestamp']).toMatch(/^\d{10}$/);
  });

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

  it('follows the secret: another at once, an absent one stays, null takes it away', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path, url } = await newWebhook({ secret: 'first' });
    const sent = async (data: object) => {
      await publish(userId, { data });
      const text = JSON.stringify(data);
      return receiver.waitFor((one) => one.path === path && one.body.includes(text));
    };
    const configure = (json: object) =>
      dispatcher.call(userId, 'POST', '/api/webhooks/configure', {
        json: { url, events: ['draft.created'], enabled: true, ...json },
      });

    const one = await sent({ n: 1 });
    expect(one.headers['x-service-signature']).toBe(signatureOf('first', one.body));
    expect(await configure({ secret: 'second' })).toMatchObject({ status: 200 });
    const two = await sent({ n: 2 });
    expect(two.headers['x-service-signature']).toBe(signatureOf('second', two.body));
    expect((await configure({})).body).toMatchObject({ has_secret: true });
    const three = await sent({ n: 3 });
    expect(three.headers['x-service-signature']).toBe(signatureOf('second', three.body));
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { secret: null },
    });
    expect((await sent({ n: 4 })).headers).not.toHaveProperty('x-service-signature');
  });
});

describe('a failing receiver', () => {
  it('gets the same body and id again, and the log tells each attempt', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    receiver.answer((request) => {
      const isFirst = requestsAt(receiver, request.path).length === 1;
      return request.path === path && isFirst ? { status: 500, body: 'not now' } : {};
    });
    const id = await publish(userId);
    const [first, second] = await eventually(() => {
      const both = requestsAt(receiver, path);
      expect(both).toHaveLength(2);
      return both as [ReceivedRequest, ReceivedRequest];
    });
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.headers['webhook-id']).toBe(messageId('/tests', id));
    expect(first.headers['webhook-id']).toBe(second.headers['webhook-id']);
    expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(200);

    const list = `/api/webhooks/${webhookId}/deliveries`;
    const [item] = await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', `${list}?status=succeeded`);
      expect(body['items']).toHaveLength(1);
      return body['items'] as [{ delivery_id: string }];
    });
    expect(item).toMatchObject({ event_type: 'draft.created', attempt_count: 2 });
    const detail = await dispatcher.call(userId, 'GET', `${list}/${item.delivery_id}`);
    expect(detail.body).toMatchObject({
      status: 'succeeded',
      message_id: messageId('/tests', id),
      attempts: [
        { attempt: 1, result: 'http_500', response_status: 500, response_sample: 'not now' },
        { attempt: 2, result: 'succeeded', response_status: 200 },
      ],
    });
    receiver.answer({});
  });

  it('that says it is gone exhausts the delivery and disables the webhook; enabling lifts it', async () => {
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

  it('is asked no earlier than its Retry-After', async () => {
    const { newWebhook, publish, receiver } = world();
    const { userId, path } = await newWebhook();
    receiver.answer((request) =>
      request.path === path && requestsAt(receiver, path).length === 1
        ? { status: 503, headers: { 'retry-after': '2' } }
        : {},
    );
    await publish(userId);
    const [first, second] = await eventually(() => {
      const both = requestsAt(receiver, path);
      expect(both).toHaveLength(2);
      return both as [ReceivedRequest, ReceivedRequest];
    });
    expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(2_000);
    receiver.answer({});
  });

  it('is not followed elsewhere', async () => {
    const { newWebhook, publish, receiver } = world();
    const { userId, path } = await newWebhook();
    receiver.answer((request) =>
      request.path === path && requestsAt(receiver, path).length === 1
        ? { status: 307, headers: { location: `${receiver.url}${path}/elsewhere` } }
        : {},
    );
    await publish(userId);
    await eventually(() => expect(requestsAt(receiver, path)).toHaveLength(2));
    expect(requestsAt(receiver, `${path}/elsewhere`)).toHaveLength(0);
    receiver.answer({});
  });
});

describe('a receiver that is down', () => {
  it('gets its circuit opened, burns no attempts meanwhile, and is served when it is back', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    const webhook = `/api/webhooks/${webhookId}`;
    let isDown = true;
    receiver.answer((request) => (request.path === path && isDown ? { status: 500 } : {}));
    for (let n = 1; n <= 6; n++) await publish(userId, { data: { n } });

    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', webhook);
      expect(body).toMatchObject({ status: 'active', circuit: { state: 'open' } });
      const list = await dispatcher.call(userId, 'GET', '/api/webhooks');
      const circuit = {
        state: 'open',
        opened_at: expect.stringMatching(/Z$/),
        probe_at: expect.stringMatching(/Z$/),
      };
      expect(list.body).toMatchObject({ items: [{ webhook_id: webhookId, circuit }] });
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
    // While it was open nothing came, and nothing was counted: every attempt is one request.
    const times = requestsAt(receiver, path).map(({ atMs }) => atMs);
    const pauses = times.map((at, index) => at - (times[index - 1] ?? at));
    expect(Math.max(...pauses)).toBeGreaterThanOrEqual(900);
    const all = await dispatcher.call(userId, 'GET', `${webhook}/deliveries`);
    const counts = (all.body['items'] as { attempt_count: number }[]).map(
      (one) => one.attempt_count,
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(times.length);
    receiver.answer({});
  });
});

describe('an ordered webhook', () => {
  it('gets its events one after the other, whatever fails, and again after a restart', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, path } = await newWebhook({ ordered: true, retry_schedule: [1, 1, 1, 1] });
    let isDown = true;
    receiver.answer((request) => (request.path === path && isDown ? { status: 500 } : {}));
    for (let n = 1; n <= 8; n++) await publish(userId, { data: { n } });
    await eventually(async () => expect(requestsAt(receiver, path).length).toBeGreaterThan(0));
    await dispatcher.end('SIGKILL');
    isDown = false;
    await dispatcher.startAgain();

    const numbers = await eventually(
      async () => {
        const all = requestsAt(receiver, path).map(({ body }) => dataOf(body)['n']);
        expect(all.at(-1)).toBe(8);
        return all;
      },
      { deadlineMs: 30_000 },
    );
    expect(numbers.filter((n, index) => n !== numbers[index - 1])).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
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
  it('is told by another that one was disabled, and that one is told nothing of itself', async () => {
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
  it('gets what came meanwhile when it is resumed', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { userId, webhookId, path } = await newWebhook();
    const webhook = `/api/webhooks/${webhookId}`;
    const paused = await dispatcher.call(userId, 'PATCH', webhook, { json: { paused: true } });
    expect(paused.body).toMatchObject({ status: 'paused', enabled: true });
    await publish(userId);
    await eventually(async () => {
      const waiting = await dispatcher.call(userId, 'GET', `${webhook}/deliveries?status=pending`);
      expect(waiting.body['items']).toHaveLength(1);
    });
    expect(requestsAt(receiver, path)).toHaveLength(0);

    await dispatcher.call(userId, 'PATCH', webhook, { json: { paused: false } });
    await receiver.waitFor((one) => one.path === path);
    expect(requestsAt(receiver, path)).toHaveLength(1);
  });

  it('has what waits held when it is disabled and cancelled when it is deleted', async () => {
    const { newWebhook, dispatcher, publish, database } = world();
    const { userId, webhookId } = await newWebhook();
    const webhook = `/api/webhooks/${webhookId}`;
    await dispatcher.call(userId, 'PATCH', webhook, { json: { paused: true } });
    await publish(userId);
    await eventually(async () => {
      const waiting = await dispatcher.call(userId, 'GET', `${webhook}/deliveries?status=pending`);
      expect(waiting.body['items']).toHaveLength(1);
    });
    await dispatcher.call(userId, 'PATCH', webhook, { json: { enabled: false } });
    const held = await dispatcher.call(userId, 'GET', `${webhook}/deliveries?status=held`);
    expect(held.body['items']).toMatchObject([{ reason: 'webhook_disabled' }]);

    await dispatcher.call(userId, 'PATCH', webhook, { json: { enabled: true } });
    await publish(userId);
    await eventually(async () => {
      const waiting = await dispatcher.call(userId, 'GET', `${webhook}/deliveries?status=pending`);
      expect(waiting.body['items']).toHaveLength(1);
    });
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
  it.each([
    ['ce_type_unknown', { headers: { ce_type: 'made.up' } }],
    ['data_not_json', { bytes: Buffer.from('{') }],
    ['data_too_large', { bytes: Buffer.from(JSON.stringify({ n: 'a'.repeat(262_144) })) }],
    ['ce_id_invalid', { headers: { ce_id: undefined } }],
    ['data_invalid', { headers: { ce_type: 'inbox.organized' }, data: { total_emails: -1 } }],
  ])('goes to the dead letters as %s, and the next one is delivered', async (code, broken) => {
    const { newWebhook, publish, receiver, database } = world();
    const { userId, path } = await newWebhook();
    await publish(userId, broken);
    await publish(userId, { data: { next: true } });

    await receiver.waitFor((one) => one.path === path && one.body.includes('"next"'));
    const { rows } = await database.pool.query(
      'select reason_code, reason_text from dead_letters where user_id = $1',
      [userId],
    );
    expect(rows).toEqual([{ reason_code: code, reason_text: expect.any(String) }]);
    expect(requestsAt(receiver, path)).toHaveLength(1);
  });
});

const signatureOf = (secret: string, body: Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const dataOf = (body: Buffer) =>
  (JSON.parse(body.toString()) as { data: Record<string, unknown> }).data;
