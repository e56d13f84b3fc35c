import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, type Receiver, startReceiver } from '@junction/testing';
import { createClient, type JunctionClient } from './client.js';

let api: Receiver;
let junction: JunctionClient;

beforeAll(async () => {
  api = await startReceiver();
  junction = createClient({ baseUrl: api.url, retriesMax: 1, timeoutMs: 20_000 });
});
beforeEach(() => api.clear());
afterAll(async () => api.close());

describe('a request that may be repeated', () => {
  it.each<[string, Answer]>([
    ['too many requests', { status: 429 }],
    ['a service that is not there', { status: 503 }],
    ['a proxy that finds none', { status: 502 }],
    ['a connection that breaks', 'close'],
  ])('is, after %s', async (_, first) => {
    answers(first, { status: 200, body: '{"items":[],"next_cursor":null}' });
    expect(await junction.get('/api/webhooks')).toEqual({ items: [], next_cursor: null });
    expect(api.requests).toHaveLength(2);
  });

  it('waits as long as the answer asks for', async () => {
    answers({ status: 429, headers: { 'retry-after': '1' } }, { status: 204 });
    await junction.delete('/api/webhooks/{id}', { params: { path: { id: 'wh_1' } } });
    const [first, second] = api.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('is given up when that is more than a minute', async () => {
    answers({ status: 429, headers: { 'retry-after': '61' } }, { status: 204 });
    await expect(junction.get('/api/webhooks')).rejects.toMatchObject({ retryAfterS: 61 });
  });

  it('is given up after as many attempts as are allowed', async () => {
    answers({ status: 503 }, 'close', { status: 204 });
    const { url } = api;
    await expect(junction.get('/api/webhooks')).rejects.toThrow(`${url} did not answer.`);
    expect(api.requests).toHaveLength(2);
  });

  it('is one with a key, with the same key and body; also while the first is still executed', async () => {
    answers({ status: 409, headers: { 'retry-after': '0' } }, { status: 202, body: '{}' });
    await sendTestEvent();
    const [first, second] = api.requests;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(String(second?.body)).toBe('{"kind":"draft.created"}');
  });
});

describe('sending once', () => {
  it.each<[Answer, string]>([
    [{ status: 503 }, 'JunctionProblem'],
    ['close', 'JunctionUnreachableError'],
  ])('happens for a POST without a key that meets %j', async (answer, name) => {
    answers(answer, { status: 202 });
    await expect(
      junction.post('/api/auth/forgot-password', { body: { email: 'ada@example.org' } }),
    ).rejects.toMatchObject({ name });
    expect(api.requests).toHaveLength(1);
  });

  it('happens for a request that was refused', async () => {
    answers({ status: 409 }, { status: 202, body: '{}' });
    await expect(sendTestEvent()).rejects.toMatchObject({ status: 409 });
    expect(api.requests).toHaveLength(1);
  });
});

it('a redirect is not followed, and the token stays here', async () => {
  answers({ status: 302, headers: { location: `${api.url}/elsewhere` } }, { status: 200 });
  await expect(junction.get('/api/auth/me')).rejects.toMatchObject({ status: 302 });
  expect(api.requests).toHaveLength(1);
});

it('an answer that takes too long is none', async () => {
  const hasty = createClient({ baseUrl: api.url, retriesMax: 0, timeoutMs: 50 });
  answers('hang');
  await expect(hasty.get('/api/auth/me')).rejects.toMatchObject({
    name: 'JunctionUnreachableError',
    cause: { name: 'TimeoutError', message: 'There was no answer within 50 ms.' },
  });
});

it.each<[string, Answer]>([
  ['an answer', 'hang'],
  ['its next attempt', { status: 503, headers: { 'retry-after': '60' } }],
])('a caller that waits for %s may leave, with the reason of the signal', async (_, answer) => {
  const leaving = new AbortController();
  answers(answer);
  const { signal } = leaving;
  const asked = junction.get('/api/auth/me', { signal }).catch((error: unknown) => error);
  await api.waitFor(() => true);
  leaving.abort('not needed any more');
  expect(await asked).toBe('not needed any more');
});

it('a stream of events may last longer than an answer', async () => {
  const hasty = createClient({ baseUrl: api.url, timeoutMs: 2_000 });
  answers({ headers: { 'content-type': 'text/event-stream' }, body: 'data: {}\n\n' });
  const stream = await hasty.request('get', '/api/webhooks/stream');
  expect(await stream.text()).toBe('data: {}\n\n');
});

const sendTestEvent = () =>
  junction.post('/api/webhooks/{id}/test', {
    params: { path: { id: 'wh_1' } },
    body: { kind: 'draft.created' },
  });

/** Answers requests with the given answers in order, and repeats the last one. */
function answers(...all: readonly Answer[]): void {
  const left = [...all];
  api.answer(() => (left.length > 1 ? left.shift() : left[0]) ?? {});
}
