import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '@junction/testing';
import { createClient, type JunctionClient } from './client.js';
import type { JunctionProblem } from './problem.js';

let api: Receiver;
let junction: JunctionClient;

beforeAll(async () => {
  api = await startReceiver();
  junction = createClient({ baseUrl: api.url, credential: { token: 'key' } });
});
beforeEach(() => api.clear());
afterAll(async () => api.close());

it('a request goes to its path, with its parameters, its body and the credential', async () => {
  api.answer(json(200, { webhook_id: 'wh_1', url: 'https://example.org/' }));
  const changed = await junction.patch('/api/webhooks/{id}', {
    params: { path: { id: 'wh/1' }, header: { 'If-Match': '"3"' } },
    body: { enabled: false },
  });
  const url: string = changed.url;

  expect(url).toBe('https://example.org/');
  expect(api.requests).toMatchObject([
    {
      method: 'PATCH',
      path: '/api/webhooks/wh%2F1',
      headers: {
        authorization: 'Bearer key',
        'content-type': 'application/json',
        'if-match': '"3"',
      },
    },
  ]);
  expect(bodies()).toEqual([{ enabled: false }]);
});

it('a call that the document does not describe does not compile', async () => {
  api.answer({ status: 204 });
  // @ts-expect-error no such path
  await junction.get('/api/webhook');
  // @ts-expect-error a path parameter is missing
  await junction.get('/api/webhooks/{id}');
  // @ts-expect-error a member of the body is missing
  await junction.post('/api/webhooks/configure', { body: { url: 'https://example.org/' } });
  const params = { path: { id: 'wh_1' } };
  await junction.patch('/api/webhooks/{id}', {
    params,
    // @ts-expect-error no such operator of a filter
    body: { filter: { all: [{ path: 'n', gte: 1 }, { not: { path: 'n', above: 2 } }] } },
  });
  // @ts-expect-error not a list
  const me = junction.items('/api/auth/me');
  const nothing: undefined = await junction.delete('/api/webhooks/{id}', { params });
  expect([me, nothing]).toEqual([expect.anything(), undefined]);
});

it('a POST that takes an Idempotency-Key gets one of its own, unless it has one', async () => {
  api.answer(json(202, {}));
  const path = { id: 'wh_1' };
  const body = { kind: 'draft.created' };
  await junction.post('/api/webhooks/{id}/test', { params: { path }, body });
  await junction.post('/api/webhooks/{id}/test', { params: { path }, body });
  const header = { 'Idempotency-Key': 'mine' };
  await junction.post('/api/webhooks/{id}/test', { params: { path, header }, body });
  await junction.post('/api/auth/logout', { body: {} });

  const keys = api.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([expect.stringMatching(/^.{36}$/), expect.anything(), 'mine', undefined]);
  expect(keys[0]).not.toBe(keys[1]);
});

it('a form is sent where the document wants one, and what OAuth refuses is told in its words', async () => {
  const body = {
    grant_type: 'client_credentials',
    audience: 'auth',
    client_secret: 'a&b=ü',
  } as const;
  api.answer(json(200, { access_token: 'at', token_type: 'Bearer', expires_in: 60, scope: '' }));
  const { expires_in: seconds } = await junction.post('/oauth/token', { body });
  expect(seconds).toBe(60);
  const [request] = api.requests;
  expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(Object.fromEntries(new URLSearchParams(String(request?.body)))).toEqual(body);

  api.answer(json(401, { error: 'invalid_client', error_description: 'Its secret is wrong.' }));
  expect(await problemOf(junction.post('/oauth/token', { body }))).toMatchObject({
    code: 'invalid_client',
    message: 'Its secret is wrong.',
    status: 401,
  });
});

it('a refusal is thrown as the problem that it is', async () => {
  const errors = [{ field: 'url', code: 'invalid_format', message: 'must be a URL.' }];
  const detail = 'url: must be a URL.';
  const code = 'invalid_request';
  api.answer(json(400, { status: 400, code, detail, errors, request_id: 'req_1' }));
  const body = { url: 'nowhere', events: ['draft.created'], enabled: true };

  const problem = await problemOf(junction.post('/api/webhooks/configure', { body }));
  expect(problem).toMatchObject({
    name: 'JunctionProblem',
    message: detail,
    status: 400,
    code,
    detail,
    errors,
    body: { request_id: 'req_1' },
    requestId: 'req_1',
    retryAfterS: undefined,
  });
});

it('an answer that says no more than its status is a problem as well', async () => {
  const headers = { 'content-type': 'text/html', 'x-request-id': 'req_2', 'retry-after': '90' };
  api.answer({ status: 503, headers, body: '<h1>Back soon</h1>' });
  expect(await problemOf(junction.get('/api/auth/me'))).toMatchObject({
    code: 'unexplained',
    status: 503,
    errors: [],
    requestId: 'req_2',
    retryAfterS: 90,
  });
});

it('a list is read page after page, and no further than is wanted', async () => {
  api.answer(({ path }) => {
    const cursor = new URL(path, api.url).searchParams.get('cursor') ?? '0';
    const next = cursor === '2' ? null : String(Number(cursor) + 1);
    return json(200, { items: [{ delivery_id: `dlv_${cursor}` }], next_cursor: next });
  });
  const list = () =>
    junction.items('/api/deliveries', {
      params: { query: { webhook_id: 'wh_1', status: 'succeeded' } },
    });
  const ids: string[] = [];
  for await (const { delivery_id: id } of list()) ids.push(id);
  expect(ids).toEqual(['dlv_0', 'dlv_1', 'dlv_2']);
  expect(api.requests.map(({ path }) => path)).toEqual([
    '/api/deliveries?webhook_id=wh_1&status=succeeded',
    '/api/deliveries?webhook_id=wh_1&status=succeeded&cursor=1',
    '/api/deliveries?webhook_id=wh_1&status=succeeded&cursor=2',
  ]);

  api.clear();
  for await (const _ of list()) break;
  expect(api.requests).toHaveLength(1);
});

it('an answer is to be had as it came, with its headers', async () => {
  api.answer({ ...json(200, { webhook_id: 'wh_1' }), headers: { etag: '"3"' } });
  const answer = await junction.request('get', '/api/webhooks/{id}', {
    params: { path: { id: 'wh_1' } },
    headers: { accept: 'application/json' },
  });
  expect(api.requests).toMatchObject([{ headers: { accept: 'application/json' } }]);
  expect(answer.headers.get('etag')).toBe('"3"');
  expect(await answer.json()).toEqual({ webhook_id: 'wh_1' });
});

const json = (status: number, body: object) => ({ status, body: JSON.stringify(body) });

const bodies = () => api.requests.map(({ body }) => JSON.parse(String(body)) as unknown);

const problemOf = async (call: Promise<unknown>): Promise<JunctionProblem> =>
  call.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: unknown) => error as JunctionProblem,
  );
