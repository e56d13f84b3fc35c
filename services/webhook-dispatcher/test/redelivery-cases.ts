import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { attemptsOf, listen, settled } from './observed.js';
import { idsOf, requestsAt } from './received.js';
import { world } from './shared-world.js';

interface Matched {
  readonly webhook_id: string;
  readonly matched: boolean;
}

describe('a delivery', () => {
  it('is sent again on demand, with the same webhook-id and body', async () => {
    const { newWebhook, publish, dispatcher } = world();
    const webhook = await newWebhook({ enabled: undefined, description: 'Orders' });
    const { userId, webhookId, path, url } = webhook;
    await publish(userId);
    const { delivery_id: first } = await settled(world(), webhook, 'succeeded');
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
      webhooks: [{ webhook_id: webhookId, matched: true, verdict: 'matched' }],
      deliveries: [{ delivery_id: first }, { redelivery_of: first }],
    });
    const byId = await dispatcher.call(userId, 'GET', `/api/deliveries/${String(first)}`);
    const within = await dispatcher.call(userId, 'GET', `${log}/${String(first)}`);
    expect(byId.body).toEqual(within.body);
    const about = { webhook_url: url, webhook_description: 'Orders' };
    expect(byId.body).toMatchObject({ delivery_id: first, ...about });
    for (const name of ['event_type', 'kind']) {
      const list = `/api/deliveries?webhook_id=${webhookId}&${name}`;
      const named = await dispatcher.call(userId, 'GET', `${list}=draft.created`);
      expect(named.body['items']).toMatchObject([about, about]);
      expect(named.headers.has('deprecation')).toBe(name === 'kind');
      const none = await dispatcher.call(userId, 'GET', `${list}=reminder.sent`);
      expect(none.body['items']).toEqual([]);
    }
    const stranger = await newWebhook();
    expect(
      await dispatcher.call(stranger.userId, 'GET', `/api/deliveries/${String(first)}`),
    ).toMatchObject({ status: 404, body: { code: 'delivery_not_found' } });
    const payload = `${log}/${String(first)}/payload`;
    expect((await dispatcher.call(userId, 'DELETE', payload)).status).toBe(204);
    const { body } = await dispatcher.call(userId, 'GET', `${log}/${String(first)}`);
    expect(body).toMatchObject({ request_body: null, payload_expunged_at: expect.any(String) });
  });

  it('goes out by a replay when it was held: counted first, then confirmed, seen as it happens', async () => {
    const { newWebhook, publish, dispatcher } = world();
    const made = await newWebhook({ enabled: false });
    const { userId, webhookId, path } = made;
    for (let n = 0; n < 3; n++) await publish(userId, { data: { n } });
    await eventually(async () => {
      const list = await dispatcher.call(userId, 'GET', `/api/webhooks/${webhookId}/deliveries`);
      expect(list.body['items']).toHaveLength(3);
    });
    const stats = async () =>
      (await dispatcher.call(userId, 'GET', `/api/webhooks/stats?webhook_id=${webhookId}`)).body;
    expect(await stats()).toMatchObject({ held: 3, waiting: 0, last_attempt: null });
    const replay = (request: object) =>
      dispatcher.call(userId, 'POST', `/api/webhooks/${webhookId}/replay`, {
        json: {
          from: new Date(Date.now() - 3_600_000).toISOString(),
          to: new Date(Date.now() + 60_000).toISOString(),
          ...request,
        },
      });
    const probe = () => dispatcher.call(userId, 'POST', `/api/webhooks/${webhookId}/probe`);
    for (const refused of [await replay({}), await probe()]) {
      expect(refused).toMatchObject({ status: 409, body: { code: 'webhook_disabled' } });
    }
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { enabled: true },
    });
    expect(await replay({})).toMatchObject({
      status: 200,
      body: { count: 3, count_is_exact: true, confirmed: false },
    });
    const kinds = ['inbox.organized'];
    const named = await replay({ event_types: kinds });
    expect(named.body).toMatchObject({ event_types: kinds, kinds });
    expect(named.headers.get('deprecation')).toBeNull();
    const old = await replay({ kinds });
    expect(old.body).toMatchObject({ event_types: kinds, kinds });
    expect(old.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(await replay({ outcomes: ['cancelled'] })).toMatchObject({ status: 400 });
    expect(of(path)).toHaveLength(0);

    const listener = await listen(world(), made);
    const begun = await replay({ confirm: true });
    expect(begun).toMatchObject({ status: 202, body: { count_is_exact: false, sent: 0 } });
    const operation = `/api/webhooks/operations/${String(begun.body['operation_id'])}`;
    await eventually(async () => {
      expect((await dispatcher.call(userId, 'GET', operation)).body).toMatchObject({
        status: 'completed',
        count: 3,
        count_is_exact: true,
        sent: 3,
        progress: 1,
        deliveries_per_s: null,
      });
      expect(new Set(of(path).map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    });
    const repeats = await dispatcher.call(userId, 'GET', `/api/webhooks/${webhookId}/deliveries`);
    expect(repeats.body['items']).toMatchObject([
      { operation_id: begun.body['operation_id'], redelivery_of: expect.any(String), test: false },
      ...Array.from({ length: 5 }, () => ({})),
    ]);
    await eventually(() => {
      expect(listener.text().match(/event: delivery.attempted/g)).toHaveLength(3);
      for (const id of idsOf(of(path))) expect(listener.text()).toContain(`"message_id":"${id}"`);
      expect(listener.text()).toMatch(/event: operation.progressed\ndata: .*"completed"/);
    });
    listener.close();
    expect(await stats()).toMatchObject({ held: 0, waiting: 0 });

    // A listener that was cut off continues behind the last entry that it has seen.
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id);
    const [openedAt, first, ...others] = ids(listener.text());
    expect(listener.text()).toContain(`id: ${openedAt}\nevent: stream.opened\n`);
    const later = await listen(world(), made, first);
    const all = await listen(world(), made, openedAt);
    const ahead = await listen(world(), made, '9'.repeat(18));
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
    expect((await dispatcher.call(userId, 'DELETE', operation)).status).toBe(204);
    expect(await probe()).toMatchObject({
      status: 202,
      body: { delivery_id: null, attempt: null },
    });
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { paused: true },
    });
    expect(await probe()).toMatchObject({ status: 409, body: { code: 'webhook_paused' } });
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
    await eventually(async () => {
      const { from, to } = (await dispatcher.call(userId, 'GET', '/api/webhooks/stats')).body;
      const span = `from=${String(from)}&to=${String(to)}`;
      const one = `/api/webhooks/stats?webhook_id=${webhookId}&${span}`;
      const stats = await dispatcher.call(userId, 'GET', one);
      const retired = `/api/webhooks/${webhookId}/stats?${span}`;
      const before = await dispatcher.call(userId, 'GET', retired);
      expect(before.body).toEqual(stats.body);
      expect(before.headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(stats.headers.get('deprecation')).toBeNull();
      expect(stats.body).toMatchObject({
        items: [{ attempts: 1, succeeded: 1, failed: 0 }],
        total: { success_rate: 1, latency_ms: { p50: expect.any(Number) } },
        waiting: 0,
        held: 0,
        last_attempt: { delivery_id: body['delivery_id'], result: 'succeeded' },
      });
      const all = await dispatcher.call(userId, 'GET', '/api/webhooks/stats');
      const { items, total, waiting, held, last_attempt } = stats.body;
      expect(all.body).toMatchObject({ items, total, last_attempt });
      const ids = `${webhookId},wh_${randomUUID()}`;
      const query = `webhook_ids=${ids}&step=5m`;
      const each = await dispatcher.call(userId, 'GET', `/api/webhooks/stats?${query}`);
      const marks = expect.stringMatching(/^[1-8]$/);
      expect(each.body).toMatchObject({
        total,
        steps: [{ event_type: kind, response: '2xx', attempts: 1 }],
        webhooks: [{ webhook_id: webhookId, items, total, waiting, held, last_attempt, marks }],
      });
      expect(each.body['webhooks']).toHaveLength(1);
    });
    const events = await dispatcher.call(userId, 'GET', '/api/events?kind=inbox.organized');
    expect(events.body).toMatchObject({ items: [{ source: 'junction/test' }], next_cursor: null });

    const { message_id } = body;
    const same = await dispatcher.call(userId, 'POST', test, { json: { message_id } });
    expect(same.status).toBe(202);
    const second = await receiver.waitFor(
      ({ headers: { 'webhook-id': id } }) => id === same.body['message_id'],
    );
    const dataOf = (sent: Buffer) => JSON.parse(sent.toString()).data as unknown;
    expect(dataOf(second.body)).toEqual(dataOf(request.body));
    const both = await dispatcher.call(userId, 'POST', test, { json: { kind, message_id } });
    expect(both.status).toBe(400);
  });

  it('is refused when its user has had as many bytes sent as may be, and so is all that sends again', async () => {
    const { newWebhook, publish, dispatcher, database } = world();
    const webhook = await newWebhook();
    const { userId, webhookId } = webhook;
    const message_id = await publish(userId, { data: { text: 'x'.repeat(190_000) } });
    const { delivery_id: first } = await settled(world(), webhook, 'succeeded');
    const test = () =>
      dispatcher.call(userId, 'POST', `/api/webhooks/${webhookId}/test`, { json: { message_id } });
    const { status, headers } = await test();
    expect(status).toBe(202);
    expect(headers.get('ratelimit-policy')).toContain(
      '"bytes-minute";q=67108864;qu="content-bytes";w=60, "bytes-day";q=4294967296;qu="content-bytes";w=86400',
    );
    const [, left] = /"bytes-minute";r=(\d+);/.exec(headers.get('ratelimit') ?? '') ?? [];
    expect(67_108_864 - Number(left)).toBeGreaterThanOrEqual(190_000);

    // As if another replica had sent the rest of the minute.
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        `update api_use set used = 65536, ends_at = now() + interval '1 minute' where key = $1`,
        [`bytes-minute/${userId}`],
      );
      expect(rowCount).toBe(1);
    });
    const log = `/api/webhooks/${webhookId}/deliveries`;
    const refused = await eventually(async () => {
      const answer = await test();
      expect(answer.status).toBe(429);
      return answer;
    });
    expect(refused.body).toMatchObject({ code: 'bytes_spent' });
    const waitS = Number(refused.headers.get('retry-after'));
    expect(waitS).toBeGreaterThan(0);
    expect(waitS).toBeLessThanOrEqual(60);
    expect(refused.headers.get('ratelimit')).toContain('"bytes-minute";r=0;');
    const again = await dispatcher.call(userId, 'POST', `${log}/${String(first)}/redeliver`);
    expect(again).toMatchObject({ status: 429, body: { code: 'bytes_spent' } });
    // Once nothing waits, a probe has nothing to send.
    await eventually(async () => {
      const probe = await dispatcher.call(userId, 'POST', `/api/webhooks/${webhookId}/probe`);
      expect(probe).toMatchObject({ status: 202, body: { delivery_id: null } });
    });
  });

  it('is of kinds that anybody may look up', async () => {
    const { body } = await world().dispatcher.call(undefined, 'GET', '/api/webhooks/event-types');
    const described = {
      description: expect.stringMatching(/\.$/),
      schema: expect.objectContaining({ type: 'object' }),
      example: expect.any(Object),
    };
    const items = [
      { event_type: 'integration.reconnect_required', opt_in: true, notice: true, ...described },
      { event_type: 'invoice.paid', opt_in: false, notice: false, ...described },
      { event_type: 'invoice.viewed', opt_in: true, notice: false, ...described },
    ];
    expect(body['items']).toEqual(expect.arrayContaining(items));
  });

  it('may be of a kind of the platform, which producers write by its schema', async () => {
    const { newWebhook, publish, dispatcher } = world();
    const all = await newWebhook({ events: ['*'] });
    const { userId } = all;
    const json = { url: `${all.url}/named`, events: ['invoice.*'], enabled: true };
    const named = await dispatcher.call(userId, 'POST', '/api/webhooks/configure', { json });
    const write = async (kind: string, data: object) =>
      publish(userId, { headers: { ce_type: kind }, data });
    await write('invoice.paid', { invoice_id: 'inv_1', amount: -1 });
    const viewed = await write('invoice.viewed', { invoice_id: 'inv_1' });
    const paid = await write('invoice.paid', { invoice_id: 'inv_1', amount: 1 });

    const [allOf, namedOf] = [all.webhookId, String(named.body['webhook_id'])];
    const matches = async () => {
      const { body } = await dispatcher.call(userId, 'GET', '/api/events');
      const items = body['items'] as { message_id: string; webhooks: Matched[] }[];
      return new Map(
        items.map(({ message_id: id, webhooks }) => [
          id,
          webhooks.filter(({ matched }) => matched).map((one) => one.webhook_id),
        ]),
      );
    };
    await eventually(async () => {
      const found = await matches();
      expect([...found.keys()].sort()).toEqual([viewed, paid].sort());
      expect(found.get(viewed)).toEqual([namedOf]);
      expect(found.get(paid)?.toSorted()).toEqual([allOf, namedOf].sort());
    });
    expect(idsOf(of(all.path))).toEqual([paid]);
    const test = `/api/webhooks/${all.webhookId}/test`;
    const sent = await dispatcher.call(userId, 'POST', test, { json: { kind: 'invoice.viewed' } });
    expect(sent.status).toBe(202);
  });
});

describe('GET /api/deliveries', () => {
  it('lists those of all webhooks of the caller, by what is asked for', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const one = await newWebhook({ events: ['*'] });
    const { userId } = one;
    const path = `${one.path}/other`;
    const json = { url: receiver.url + path, events: ['draft.created'], enabled: true };
    const { body } = await dispatcher.call(userId, 'POST', '/api/webhooks', { json });
    const other = String(body['webhook_id']);
    receiver.answer((request) => (request.path === path ? { status: 410 } : {}));
    const drafted = await publish(userId);
    const joined = await publish(userId, { headers: { ce_type: 'meeting.joined' } });

    const list = async (query = '', by = userId) => {
      const answer = await dispatcher.call(by, 'GET', `/api/deliveries${query}`);
      return { ...answer, items: answer.body['items'] as Record<string, unknown>[] };
    };
    const found = async (query: string) =>
      (await list(query)).items.map(({ webhook_id, message_id }) => [webhook_id, message_id]);
    const ended = [
      { webhook_id: one.webhookId, message_id: joined, status: 'succeeded', response_status: 200 },
      { webhook_id: one.webhookId, message_id: drafted, status: 'succeeded', response_status: 200 },
      { webhook_id: other, message_id: drafted, status: 'exhausted', response_status: 410 },
    ];
    await eventually(async () => {
      const { items } = await list();
      expect(items).toHaveLength(3);
      expect(items).toEqual(expect.arrayContaining(ended.map((e) => expect.objectContaining(e))));
    });
    receiver.answer({});

    const gone = [[other, drafted]];
    expect(await found('?http_status=4xx')).toEqual(gone);
    expect(await found('?status=exhausted')).toEqual(gone);
    expect(await found('?kind=meeting.joined')).toEqual([[one.webhookId, joined]]);
    expect(await found(`?webhook_id=${other}`)).toEqual(gone);
    expect(await found(`?message_id=${drafted}&http_status=2xx`)).toHaveLength(1);
    const first = await list('?limit=2');
    const rest = await list(`?limit=2&cursor=${String(first.body['next_cursor'])}`);
    expect(rest.body['next_cursor']).toBeNull();
    expect([...first.items, ...rest.items]).toEqual((await list()).items);
    expect((await list(`?webhook_id=${other}`, world().newUser())).items).toEqual([]);

    const token = world().issuer.userToken(userId);
    const exported = async (query: string) => {
      const answer = await fetch(`${dispatcher.url}/api/deliveries?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return { type: answer.headers.get('content-type'), text: await answer.text() };
    };
    const lines = await exported('format=jsonl&limit=1');
    const rows = lines.text.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual((await list()).items);
    expect(lines.type).toBe('application/jsonl');
    const table = await exported('format=csv&http_status=4xx');
    expect(table.type).toBe('text/csv; charset=utf-8');
    const [head, row, end] = table.text.split('\r\n');
    const fields = Object.keys((await list()).items[0] ?? {});
    expect(head?.split(',').toSorted()).toEqual(fields.toSorted());
    expect(row).toContain(`,${other},`);
    expect(end).toBe('');
    expect(await list('?format=csv&text=a')).toMatchObject({ status: 400 });
  });
});

const of = (path: string) => requestsAt(world().receiver, path);
