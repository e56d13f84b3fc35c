import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { requestsAt } from './received.js';
import { useWorld } from './world.js';

const WEBHOOKS_MAX = 5;
const world = useWorld(() => ({ WEBHOOKS_PER_USER_MAX: String(WEBHOOKS_MAX) }));

describe('a webhook that names wildcards', () => {
  it('gets the kinds they cover and no others, and is shown as it was made', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { call } = dispatcher;
    const all = await newWebhook({ events: ['draft.created', '*'] });
    const { userId } = all;
    const path = `${all.path}/groups`;
    const json = { url: receiver.url + path, events: ['webhook.*', 'meeting.*'], enabled: true };
    const { body: groups } = await call(userId, 'POST', '/api/webhooks/configure', { json });
    expect(groups['events']).toEqual(['meeting.*', 'webhook.*']);
    expect((await call(userId, 'GET', `/api/webhooks/${all.webhookId}`)).body).toMatchObject({
      events: ['*'],
    });

    const drafted = await publish(userId);
    const joined = await publish(userId, { headers: { ce_type: 'meeting.joined' } });
    await receiver.waitFor((one) => one.path === path && one.headers['webhook-id'] === joined);
    await eventually(async () => expect(requestsAt(receiver, all.path)).toHaveLength(2));
    expect(requestsAt(receiver, path)).toHaveLength(1);
    const event = await call(userId, 'GET', `/api/events/${drafted}`);
    expect(event.body['webhooks']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ webhook_id: all.webhookId, verdict: 'pending' }),
        expect.objectContaining({
          webhook_id: groups['webhook_id'],
          verdict: 'kind_not_selected',
        }),
      ]),
    );
  });

  it('is refused when no kind fits one of them', async () => {
    const { dispatcher, newUser, receiver } = world();
    const json = { url: `${receiver.url}/none`, events: ['meeting.*', 'party.*'], enabled: true };
    const refused = await dispatcher.call(newUser(), 'POST', '/api/webhooks/configure', { json });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'events.1', code: 'unknown_kind' }] },
    });
  });
});

describe('POST /api/webhooks', () => {
  it('makes a webhook each time, of one url too, and configure changes the oldest', async () => {
    const { dispatcher, newUser, publish, receiver } = world();
    const userId = newUser();
    const path = `/shared/${userId}`;
    const json = { url: receiver.url + path, events: ['draft.created'], enabled: true };
    const create = (more = {}, headers = {}) =>
      dispatcher.call(userId, 'POST', '/api/webhooks', { json: { ...json, ...more }, headers });
    const first = await create({ secret: 'its own' });
    const second = await create({ events: ['meeting.*', 'draft.created'] });
    const made = [first, second].map(({ body }) => String(body['webhook_id']));
    expect(new Set(made).size).toBe(2);
    for (const { status, headers, body } of [first, second]) {
      expect({ status, location: headers.get('location') }).toEqual({
        status: 201,
        location: `/api/webhooks/${String(body['webhook_id'])}`,
      });
      expect(headers.get('etag')).toMatch(/^"\d+"$/);
    }

    const configured = await dispatcher.call(userId, 'POST', '/api/webhooks/configure', { json });
    expect(configured).toMatchObject({
      status: 200,
      body: { webhook_id: made[0], has_secret: true },
    });
    const messageId = await publish(userId);
    await eventually(async () => expect(requestsAt(receiver, path)).toHaveLength(2));
    const told = requestsAt(receiver, path).map(({ headers, body }) => ({
      messageId: headers['webhook-id'],
      webhookId: (JSON.parse(body.toString()) as { webhook_id: string }).webhook_id,
    }));
    expect(told).toEqual(
      expect.arrayContaining(made.map((webhookId) => ({ messageId, webhookId }))),
    );
  });

  it('makes one for one Idempotency-Key', async () => {
    const { dispatcher, newUser, receiver } = world();
    const userId = newUser();
    const json = { url: `${receiver.url}/once`, events: ['*'], enabled: true };
    const headers = { 'idempotency-key': userId };
    const create = () => dispatcher.call(userId, 'POST', '/api/webhooks', { json, headers });
    const { body } = await create();
    expect(await create()).toMatchObject({ status: 201, body });
    const listed = await dispatcher.call(userId, 'GET', '/api/webhooks');
    expect(listed.body['items']).toHaveLength(1);
  });

  it('is refused what configure is, and beyond the limit', async () => {
    const { dispatcher, newUser, receiver } = world();
    const userId = newUser();
    const create = (json: object) => dispatcher.call(userId, 'POST', '/api/webhooks', { json });
    expect(await create({ url: 'ftp://x.example', events: [] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    const good = { url: `${receiver.url}/full`, events: ['*'], enabled: true };
    const made = [];
    for (let n = 0; n < WEBHOOKS_MAX; n++) made.push((await create(good)).status);
    expect(new Set(made)).toEqual(new Set([201]));
    expect(await create(good)).toMatchObject({
      status: 409,
      body: { code: 'webhook_limit_reached' },
    });
  });
});

describe('the metadata of a webhook', () => {
  it('is set, merged and cleared, and beside the description in every answer', async () => {
    const { newWebhook, dispatcher } = world();
    const metadata = { shop: '17', 'Büro-Nr.': '' };
    const { userId, webhookId } = await newWebhook({ metadata, description: 'Büro' });
    const path = `/api/webhooks/${webhookId}`;
    const get = () => dispatcher.call(userId, 'GET', path);
    const patch = (json: object, type = 'application/json') =>
      dispatcher.call(userId, 'PATCH', path, {
        text: JSON.stringify(json),
        headers: { 'content-type': type },
      });
    const MERGE = 'application/merge-patch+json';
    expect((await get()).body).toMatchObject({ metadata, description: 'Büro' });
    expect((await patch({ paused: true })).body['metadata']).toEqual(metadata);
    const merged = await patch({ metadata: { shop: null, floor: '3' } }, MERGE);
    expect(merged.body['metadata']).toEqual({ 'Büro-Nr.': '', floor: '3' });
    expect((await patch({ metadata: { only: 'this' } })).body['metadata']).toEqual({
      only: 'this',
    });
    expect((await patch({ metadata: { only: null } }, MERGE)).body).not.toHaveProperty('metadata');
    await patch({ metadata });
    expect((await patch({ metadata: null })).body).not.toHaveProperty('metadata');
    expect((await get()).body).not.toHaveProperty('metadata');
    const refused = await patch({ metadata: { floor: 3 } });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'metadata.floor', code: 'invalid_type' }] },
    });
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
    for (const query of ['http_status=410', 'http_status=4xx', 'status=exhausted']) {
      expect({ query, found: await found(`?${query}`) }).toEqual({ query, found: gone });
    }
    expect(await found('?http_status=5xx')).toEqual([]);
    expect(await found('?kind=meeting.joined')).toEqual([[one.webhookId, joined]]);
    expect(await found(`?webhook_id=${other}`)).toEqual(gone);
    expect(await found(`?webhook_id=${other}&http_status=2xx`)).toEqual([]);
    expect(new Set((await found(`?message_id=${drafted}`)).map(([id]) => id))).toEqual(
      new Set([one.webhookId, other]),
    );
    const hour = new Date(Date.now() + 3_600_000).toISOString();
    expect(await found(`?from=${hour}`)).toEqual([]);
    expect(await found(`?to=${hour}&http_status=2xx`)).toHaveLength(2);
    const ofOne = await dispatcher.call(
      userId,
      'GET',
      `/api/webhooks/${other}/deliveries?http_status=4xx&message_id=${drafted}`,
    );
    expect(ofOne.body['items']).toMatchObject([{ webhook_id: other, response_status: 410 }]);

    const first = await list('?limit=2');
    expect(first.items).toHaveLength(2);
    const rest = await list(`?limit=2&cursor=${String(first.body['next_cursor'])}`);
    expect(rest.items).toHaveLength(1);
    expect(rest.body['next_cursor']).toBeNull();
    expect([...first.items, ...rest.items]).toEqual((await list()).items);

    const stranger = world().newUser();
    expect((await list('', stranger)).items).toEqual([]);
    expect((await list(`?webhook_id=${other}`, stranger)).items).toEqual([]);
    expect((await list(`?message_id=${drafted}`, stranger)).items).toEqual([]);
    const odd = await list('?http_status=6xx&webhook_id=wh_1');
    expect(odd.body['errors']).toMatchObject([{ field: 'http_status' }, { field: 'webhook_id' }]);
  });
});
