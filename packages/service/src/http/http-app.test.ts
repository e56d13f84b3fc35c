import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { Router } from 'express';
import { z } from 'zod';
import { closeOpened, until } from '../../test/loopback.js';
import { openApp } from '../../test/open-app.js';
import { jsonBody } from './body.js';
import { callerOf, setCaller } from './caller.js';
import { setEntityTag } from './entity-tag.js';
import { parse } from './parse.js';

afterEach(closeOpened);

describe('an answer', () => {
  it('carries our request id, forbids caching and says nothing about the server', async () => {
    const { get } = await open();
    const { headers } = await get('/api/things/1', { headers: { 'x-request-id': 'theirs' } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('is a problem when there is no such path, caller or not', async () => {
    const { problem } = await open();
    expect(await problem('/api/nothing?code=4/0abc')).toEqual({
      type: '/docs/errors#no_such_route',
      title: 'Not found',
      status: 404,
      detail: 'There is no such resource.',
      instance: '/api/nothing',
      code: 'no_such_route',
      request_id: expect.any(String),
    });
  });

  it('to a wrong method is 405 and names the right ones, before any caller is asked for', async () => {
    const { get } = await open();
    const answer = await get('/api/things/1', { method: 'PUT' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
    const guarded = await get('/api/guarded', { method: 'DELETE' });
    expect(guarded.status).toBe(405);
  });

  it('with a tag that the caller has is 304, and one without has no tag', async () => {
    const { get } = await open();
    // fetch sends no-cache beside If-None-Match, unless the test sets Cache-Control, and express obeys.
    const ask = async (tag: string) =>
      get('/api/tagged', { headers: { 'if-none-match': tag, 'cache-control': 'max-age=0' } });
    expect((await get('/api/things/1')).headers.get('etag')).toBeNull();
    const tag = (await get('/api/tagged')).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"7-[\w-]{12}"$/);
    expect((await ask(`"6", ${tag}`)).status).toBe(304);
    for (const other of ['"7"', '"6"']) expect((await ask(other)).status).toBe(200);
  });

  it('to a request with two credentials takes neither', async () => {
    const { url } = await open();
    // fetch would join the two.
    const headers = ['host', 'a', 'authorization', 'Bearer a', 'authorization', 'Bearer b'];
    const sent = request(`${url}/api/credential`, { headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await json(answer)).toEqual({ credential: 'Bearer a, Bearer b' });
  });

  it('to HEAD is that to GET without the body', async () => {
    const { get } = await open();
    const answer = await get('/api/things/1', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('keeps an unforeseen failure to itself and to the log', async () => {
    const { problem, log } = await open();
    const answer = await problem('/api/broken');
    expect(answer).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(log.text()).toContain('connection to db-7 refused');
    expect(log.text()).toContain(`"request_id":"${String(answer['request_id'])}"`);
    expect(log.text()).not.toContain('hunter2');
  });

  it('is 503 and says when to come back when the database is away, with its cause in the log', async () => {
    const { get, log } = await open();
    const answer = await get('/api/database');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(log.text()).toContain('"level":"warn"');
    expect(log.text()).toContain('terminating connection due to administrator command');
  });

  it('is cut off when it fails half-way, and the failure goes to our log alone', async () => {
    const { get, log } = await open();
    const answer = await get('/api/half');
    await expect(answer.text()).rejects.toThrow('terminated');
    await until(() => log.text().includes('it broke half-way'));
    expect(log.text()).not.toContain('hunter2');
  });

  it.each([
    ['rate_limited', 429, '7'],
    ['unavailable', 503, '5'],
  ])('that is %s says when to come back', async (kind, status, retryAfter) => {
    const { get } = await open();
    const answer = await get(`/api/fails/${kind}`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, retryAfter]);
  });

  it.each([
    ['unauthenticated', 'Bearer realm="junction"'],
    ['invalid_token', 'Bearer realm="junction", error="invalid_token"'],
  ])('says how to authenticate when it is a 401 for %s', async (kind, challenge) => {
    const { get } = await open();
    const answer = await get(`/api/fails/${kind}`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, challenge]);
  });

  it('to a path that cannot be decoded is 400', async () => {
    const { problem } = await open();
    for (const segment of ['%E0%A4%A', '%ED%A0%80', '100%']) {
      expect(await problem(`/api/things/${segment}`)).toMatchObject({
        status: 400,
        code: 'malformed_path',
        errors: [{ field: 'path', message: expect.stringContaining(segment) }],
      });
    }
  });

  it('is never about the path where a URIError is our own fault', async () => {
    const { problem } = await open();
    expect(await problem('/api/fails/uri')).toMatchObject({ status: 500, code: 'internal' });
  });

  it('is a 401 from a route that nobody put authentication in front of', async () => {
    const { problem } = await open();
    expect(await problem('/api/forgotten')).toMatchObject({ status: 401 });
  });

  it('is a 404 from a route that passes the request on', async () => {
    const { problem } = await open();
    expect(await problem('/api/passes')).toMatchObject({ status: 404, code: 'no_such_route' });
  });
});

describe('a request', () => {
  it('leaves one line with its route, and nothing of its query, headers or body', async () => {
    const { get, send, log } = await open();
    await get('/api/things/42?code=4/0abc&x=query-word', { headers: { cookie: 'cookie-word' } });
    await send('{"name":"body-word"}');
    await until(() => log.text().split('"msg":"request"').length === 3);
    expect(log.text()).toContain('"route":"/api/things/:id"');
    expect(log.text()).not.toMatch(/4\/0abc|-word|\/api\/things\/42/);
  });

  it('is counted by its route', async () => {
    const { get } = await open();
    await get('/api/things/42');
    await get('/api/made-up-by-a-scanner');
    const text = await (await get('/internal/metrics')).text();
    expect(text).toMatch(
      /junction_http_server_request_duration_seconds_count\{.*route="\/api\/things\/:id"/,
    );
    expect(text).toContain('route="unknown"');
    expect(text).toMatch(
      /^junction_build_info\{version="[\d.]+",commit="\w+",service="test"\} 1$/m,
    );
    expect(text).not.toContain('scanner');
  });
});

it('health is live at once and ready when its checks say so', async () => {
  const { get, health } = await open();
  expect(await (await get('/internal/health/live')).json()).toEqual({
    status: 'live',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    commit: expect.any(String),
  });
  health.add('postgres', () => false);
  const answer = await get('/internal/health/ready');
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ status: 'not_ready', failing: ['postgres'] }),
  ]);
});

const thing = z.strictObject({ name: z.string() });

async function open() {
  const router = Router();
  router.get('/api/things/:id', (req, res) => void res.json({ id: req.params.id }));
  router.get('/api/tagged', (_req, res) => void setEntityTag(res, 7, { is: 'open' }).json({}));
  router.post('/api/things', (req, res) => void res.status(201).json(parse(thing, req.body)));
  router.get(
    '/api/credential',
    ({ headers }, res) => void res.json({ credential: headers.authorization }),
  );
  router.get('/api/forgotten', (_req, res) => void res.json(callerOf(res)));
  router.get('/api/passes', (_req, _res, next) => next());
  router.get('/api/broken', () => {
    const cause = new Error('connection to db-7 refused: postgres://svc:hunter2@db-7/auth');
    throw new Error('it broke', { cause });
  });
  router.get('/api/database', () => {
    const message = 'terminating connection due to administrator command';
    throw Object.assign(new Error(message), { code: '57P01' });
  });
  router.get('/api/half', (_req, res) => {
    res.write('half');
    throw new Error('it broke half-way: token=hunter2');
  });
  router.get('/api/fails/rate_limited', () => {
    throw new AppError('too_many_requests', 'Too fast.', { retryAfterS: 6.2 });
  });
  router.get('/api/fails/unavailable', () => {
    throw new AppError('service_unavailable', 'Down.');
  });
  router.get('/api/fails/uri', () => void encodeURIComponent('\ud800'));
  router.get('/api/fails/:code', (req) => {
    throw new AppError({ kind: 'unauthenticated', code: req.params.code }, 'Who are you?');
  });
  const guarded = Router();
  guarded.get('/api/guarded', (_req, res) => void res.json(callerOf(res)));

  const { url, get, log, health } = await openApp([
    { through: [jsonBody], router },
    {
      through: [
        (_req, res, next) => {
          setCaller(res, { kind: 'user', userId: 'u', via: 'jwt', scopes: [] });
          next();
        },
      ],
      router: guarded,
    },
  ]);
  return {
    health,
    log,
    url,
    get,
    problem: async (path: string) =>
      (await (await get(path)).json()) as Readonly<Record<string, unknown>>,
    send: (body: string) =>
      get('/api/things', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }),
  };
}
