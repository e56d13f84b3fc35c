import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { eventually, hangUpWhileReading } from '@junction/testing';
import { toStoredId } from '../src/adapters/postgres/stored-id.js';
import { toolOf } from './tool.js';
import { useWorld } from './world.js';

// The rules of production for targets; nothing is delivered here.
const world = useWorld(() => ({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' }));

const CONFIGURE = '/api/webhooks/configure';
const good = {
  url: 'https://hooks.customer.com/in',
  events: ['draft.created', 'inbox.organized'],
  enabled: true,
};

describe('configuring a webhook', () => {
  it('creates it with exactly what the contract says, and updates it by the same url', async () => {
    const userId = randomUUID();
    const created = await configure(userId, { ...good, secret: 'not to be seen again' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      webhook_id: expect.stringMatching(/^wh_[0-9a-f-]{36}$/),
      url: good.url,
      events: ['inbox.organized', 'draft.created'],
      enabled: true,
      has_secret: true,
      status: 'active',
      state: 'active',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(created.body)).not.toContain('not to be seen');

    const url = 'HTTPS://HOOKS.customer.com:443/in';
    const updated = await configure(userId, { ...good, url, events: ['draft.created'] });
    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({
      webhook_id: created.body['webhook_id'],
      events: ['draft.created'],
      has_secret: true,
    });
  });

  it('is refused under the rules of production, naming each mistake', async () => {
    const url = 'https://10.0.0.1/in';
    const answer = await configure(randomUUID(), { url, events: ['made.up'], colour: 1 });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(answer.body['errors']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'url', code: 'url_private_address' }),
        expect.objectContaining({ field: 'events.0', code: 'unknown_kind' }),
        expect.objectContaining({ field: 'colour', code: 'unknown_field' }),
      ]),
    );
  });

  it('shows the options that are set, and takes them back', async () => {
    const userId = randomUUID();
    const options = {
      ordered: true,
      rate_limit: 10,
      description: 'Büro',
      filter: { path: 'n', gt: 0 },
      retry_schedule: [5, 60],
    };
    const headers = { 'X-Api-Key': 'not to be seen again' };
    const { status, body } = await configure(userId, { ...good, ...options, headers });
    expect({ status, body }).toMatchObject({ status: 201, body: options });
    expect(body['headers']).toEqual({ 'X-Api-Key': '********' });

    const path = `/api/webhooks/${String(body['webhook_id'])}`;
    const { call } = world().dispatcher;
    const json = { ordered: null, rate_limit: null, filter: null, headers: null };
    const patched = await call(userId, 'PATCH', path, { json });
    for (const name of Object.keys(json)) expect(patched.body).not.toHaveProperty(name);
    expect(patched.body).toMatchObject({ description: 'Büro', retry_schedule: [5, 60] });

    const own = await call(userId, 'POST', `${path}/rotate-secret`, { json: { secret: 'mine' } });
    expect(own).toMatchObject({ status: 200, body: { has_secret: true } });
    expect(own.body).not.toHaveProperty('secret');
  });
});

describe('a webhook', () => {
  it('is read, listed, changed and deleted by its owner', async () => {
    const { call } = world().dispatcher;
    const userId = randomUUID();
    const one = String((await configure(userId, good)).body['webhook_id']);
    const url = 'https://hooks.customer.com/two';
    const two = String((await configure(userId, { ...good, url })).body['webhook_id']);

    expect((await call(userId, 'GET', `/api/webhooks/${one}`)).body).toMatchObject({
      webhook_id: one,
    });
    const first = await call(userId, 'GET', '/api/webhooks?limit=1');
    expect(first.body).toMatchObject({ items: [{ webhook_id: two }], next_cursor: two });
    const rest = await call(userId, 'GET', `/api/webhooks?limit=1&cursor=${two}`);
    expect(rest.body).toMatchObject({ items: [{ webhook_id: one }], next_cursor: null });

    const patch = (json: object) => call(userId, 'PATCH', `/api/webhooks/${one}`, { json });
    expect((await patch({ events: ['reminder.sent'], secret: 's' })).body).toMatchObject({
      events: ['reminder.sent'],
      has_secret: true,
    });
    expect((await patch({ secret: null })).body).toMatchObject({ has_secret: false });
    expect(await patch({ url })).toMatchObject({ status: 200, body: { url } });
    expect((await patch({ enabled: false })).body).toMatchObject({
      enabled: false,
      status: 'disabled',
      disabled_reason: 'user',
    });
    expect((await patch({ colour: 'red' })).status).toBe(400);

    for (const time of ['first', 'again']) {
      const answer = await call(userId, 'DELETE', `/api/webhooks/${one}`);
      expect([time, answer.status]).toEqual([time, 204]);
    }
    expect((await call(userId, 'GET', `/api/webhooks/${one}`)).status).toBe(404);
    expect((await configure(userId, good)).status).toBe(201);
  });
});

describe('the metadata of a webhook', () => {
  it('is set, merged with that type of body alone, and cleared', async () => {
    const userId = randomUUID();
    const metadata = { shop: '17', 'Büro-Nr.': '' };
    const { body } = await configure(userId, { ...good, metadata });
    expect(body).toMatchObject({ metadata });
    const path = `/api/webhooks/${String(body['webhook_id'])}`;
    const patched = async (json: object, type = 'application/json') => {
      const headers = { 'content-type': type };
      return (await world().dispatcher.call(userId, 'PATCH', path, { json, headers })).body;
    };
    const changes = { metadata: { shop: null, floor: '3' }, headers: { 'X-One': '1' } };
    expect(await patched(changes, 'application/merge-patch+json')).toMatchObject({
      metadata: { 'Büro-Nr.': '', floor: '3' },
      headers: { 'X-One': '********' },
    });
    expect((await patched({ metadata: { only: 'this' } }))['metadata']).toEqual({ only: 'this' });
    expect(await patched({ metadata: null })).not.toHaveProperty('metadata');
  });
});

describe('the stored rows and the log', () => {
  it('hold no secret, and the url of events is sealed', async () => {
    const { dispatcher, database } = world();
    const userId = randomUUID();
    const secret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
    const url = `https://hooks.customer.com/${randomUUID()}`;
    await configure(userId, { ...good, url, secret });

    const { rows } = await database.pool.query<{ text: string }>(
      `select e::text as text from events e union all select o::text from outbox o
       union all select s::text from webhook_secrets s union all select i::text from idempotency_keys i`,
    );
    const stored = rows.map(({ text }) => text).join('\n') + dispatcher.logs();
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    expect(stored).not.toContain(url);
    expect(stored).toContain('webhook.configured');
  });
});

describe('a webhook that is changed by several', () => {
  it('is changed and deleted in the version that was read, and in no other', async () => {
    const { call } = world().dispatcher;
    const userId = randomUUID();
    const created = await configure(userId, good);
    const path = `/api/webhooks/${String(created.body['webhook_id'])}`;
    expect(created.headers.get('location')).toBe(path);
    const tagOf = ({ headers }: { readonly headers: Headers }) => headers.get('etag') ?? '';
    const first = tagOf(created);
    expect(first).toMatch(/^"\d+"$/);
    expect(tagOf(await call(userId, 'GET', path))).toBe(first);

    const paused = (tag: string) =>
      call(userId, 'PATCH', path, { json: { paused: true }, headers: { 'if-match': tag } });
    const second = tagOf(await paused(first));
    expect(second).not.toBe(first);
    const overtaken = { status: 412, body: { code: 'precondition_failed' } };
    for (const tag of [first, `W/${second}`]) expect(await paused(tag)).toMatchObject(overtaken);
    expect(await paused('unquoted')).toMatchObject({
      status: 400,
      body: { code: 'invalid_if_match' },
    });
    const stale = { headers: { 'if-match': first } };
    expect(await call(userId, 'POST', `${path}/rotate-secret`, stale)).toMatchObject(overtaken);
    expect(tagOf(await call(userId, 'GET', path))).toBe(second);

    const remove = (tag: string) => call(userId, 'DELETE', path, { headers: { 'if-match': tag } });
    expect(await remove(first)).toMatchObject(overtaken);
    expect((await remove(`${first}, ${second}`)).status).toBe(204);
    expect((await remove(second)).status).toBe(204);
  });
});

describe('a request whose caller hangs up', () => {
  it('stops reading, in the database too', async () => {
    const { dispatcher, database } = world();
    const userId = randomUUID();
    await configure(userId, good);
    for (const [path, table] of [
      ['/api/events', 'seen_events'],
      // The sender reads deliveries by itself, and would wait for that table too.
      ['/api/deliveries?status=exhausted', 'outcomes'],
      ['/api/webhooks/stream', 'live_tail'],
    ] as const) {
      const ask = (signal: AbortSignal) => dispatcher.call(userId, 'GET', path, { signal });
      expect(await hangUpWhileReading(database, table, ask)).toBe(0);
    }
  });

  it('stops it for an operator too', async () => {
    const { database } = world();
    // The journal of operators writes to the tables of events first, and would wait for those by itself.
    for (const [path, table] of [
      [`dead-letters/${randomUUID()}`, 'dead_letters'],
      ['projections', 'projection_checkpoints'],
    ] as const) {
      const ask = (signal: AbortSignal) => toolOf(world())('GET', path, { signal });
      expect([path, await hangUpWhileReading(database, table, ask)]).toEqual([path, 0]);
    }
  });
});

describe('a change in auth', () => {
  it('ends the tokens and the streams of a session that is revoked', async () => {
    const { dispatcher, issuer, publishDomainEvent } = world();
    const userId = randomUUID();
    const sessionId = `ses_${randomUUID()}`;
    const authorization = `Bearer ${issuer.userToken(userId, { sessionId })}`;
    const list = () =>
      dispatcher.call(undefined, 'GET', '/api/webhooks', { headers: { authorization } });
    expect((await list()).status).toBe(200);
    const streams = await Promise.all(
      ['/api/webhooks/stream', '/api/events/stream'].map(async (path) =>
        fetch(dispatcher.url + path, { headers: { authorization } }),
      ),
    );

    const about = { userId, sessionId, reason: 'logout', occurredAt: new Date() };
    await publishDomainEvent('auth.events.v1', 'session.revoked', sessionId, about);
    await eventually(async () => expect((await list()).status).toBe(401));
    const ended = Promise.all(streams.map(async (stream) => stream.text()));
    const inASecond = AbortSignal.timeout(1_000);
    await Promise.race([ended, once(inASecond, 'abort')]);
    expect(inASecond.aborted).toBe(false);
  });

  it('deletes the webhooks of a deleted user, and shreds the key', async () => {
    const { dispatcher, publishDomainEvent, database } = world();
    const userId = randomUUID();
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await configure(userId, { ...good, secret: 'mine' }, headers);

    const about = { userId, occurredAt: new Date() };
    await publishDomainEvent('auth.events.v1', 'user.deleted', userId, about);
    const { rows } = await eventually(async () => {
      const left = await database.pool.query(
        `select (select count(*)::int from webhooks where user_id = $1::uuid) as webhooks,
                (select count(*)::int from idempotency_keys where user_id = ($1::uuid)::text) as answers,
                (select count(*)::int from webhook_secrets where webhook_id = $2) as secrets,
                (select wrapped from data_keys where subject = ($1::uuid)::text) as key`,
        [userId, toStoredId(String(body['webhook_id']))],
      );
      expect(left.rows).toMatchObject([{ webhooks: 0, answers: 0 }]);
      return left;
    });
    expect(rows).toMatchObject([{ secrets: 0, key: null }]);
    expect((await dispatcher.call(userId, 'GET', '/api/webhooks')).status).toBe(401);
  });
});

const configure = (userId: string, json: object, headers: Readonly<Record<string, string>> = {}) =>
  world().dispatcher.call(userId, 'POST', CONFIGURE, { json, headers });
