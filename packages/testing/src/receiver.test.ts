import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Receiver } from './receiver.js';
import { startReceiver } from './receiver.js';

let receiver: Receiver;

describe('a receiver', () => {
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  it('keeps each request as it came', async () => {
    const body = Buffer.from([0xff, 0x00, 0x7b]);
    await post('/hook?a=1', { body, headers: { 'X-Mark': 'one' } });
    expect(receiver.requests).toEqual([
      {
        method: 'POST',
        path: '/hook?a=1',
        headers: expect.objectContaining({ 'x-mark': 'one' }),
        body,
        atMs: expect.any(Number),
      },
    ]);
  });

  it('answers as it is told, to each request differently if need be', async () => {
    receiver.answer(({ path }) =>
      path === '/gone' ? { status: 410 } : { status: 503, headers: { 'retry-after': '7' } },
    );
    expect((await post('/gone')).status).toBe(410);
    const busy = await post('/busy');
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '7']);
  });

  it('answers later, never, or by closing the connection', async () => {
    receiver.answer({ delayMs: 30 });
    const before = performance.now();
    await post('/late');
    expect(performance.now() - before).toBeGreaterThan(25);

    receiver.answer('close');
    await expect(post('/torn')).rejects.toThrow('fetch failed');
    receiver.answer('hang');
    await expect(post('/mute', { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout');
    expect(receiver.requests).toHaveLength(3);
  });

  it('waits for a request that is still to come', async () => {
    const waiting = receiver.waitFor(({ path }) => path === '/two');
    await post('/one');
    await post('/two');
    await expect(waiting).resolves.toMatchObject({ path: '/two' });
    await expect(receiver.waitFor(({ path }) => path === '/one')).resolves.toBeDefined();
  });

  it('says what came instead when the wait is over', async () => {
    await expect(receiver.waitFor(() => true, 10)).rejects.toThrow('within 10 ms; nothing came');
    await post('/else');
    await expect(receiver.waitFor(({ path }) => path === '/x', 10)).rejects.toThrow(
      'only POST /else came',
    );
  });

  it('passes on the failure of a condition that cannot read the request', async () => {
    const waiting = receiver.waitFor(({ body }) => JSON.parse(body.toString()).ok === true);
    const [outcome] = await Promise.allSettled([waiting, post('/', { body: 'no json' })]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(SyntaxError) });
  });

  it('forgets when it is told to', async () => {
    await post('/');
    receiver.clear();
    expect(receiver.requests).toEqual([]);
  });
});

describe('a receiver with TLS', () => {
  beforeEach(async () => {
    receiver = await startReceiver({ tls: true });
  });
  afterEach(() => receiver.close());

  it('is trusted by those who know its authority, under all names of this machine', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const request = https.get(`https://${host}:${receiver.port}/hook`, {
        ca: receiver.ca,
        family: 4,
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      expect(response.statusCode).toBe(200);
    }
    expect(receiver.requests).toHaveLength(2);
  });

  it('is not trusted by anybody else', async () => {
    const request = https.get(`${receiver.url}/hook`);
    await expect(once(request, 'response')).rejects.toThrow(/certificate/);
  });
});

const post = (path: string, init: RequestInit = {}) =>
  fetch(receiver.url + path, { method: 'POST', ...init });
