import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  eventually,
  freePort,
  type Nginx,
  type Receiver,
  startNginx,
  startReceiver,
} from './index.js';

const siteDir = mkdtempSync(path.join(tmpdir(), 'junction-site-'));
const INDEX = '<!doctype html><title>Junction</title>';
let service: Receiver;
let nginx: Nginx;
let dead: string;

beforeAll(async () => {
  mkdirSync(path.join(siteDir, 'assets'));
  writeFileSync(path.join(siteDir, 'index.html'), INDEX);
  writeFileSync(path.join(siteDir, 'assets', 'app-1.js'), `// ${'x'.repeat(2_000)}`);
  writeFileSync(path.join(siteDir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  service = await startReceiver();
  dead = `127.0.0.1:${await freePort()}`;
  nginx = await startNginx({ upstreams: replicas(`127.0.0.1:${service.port}`), siteDir });
});

afterAll(async () => {
  await nginx?.stop();
  await service?.close();
  rmSync(siteDir, { recursive: true });
});

beforeEach(async () => {
  service.clear();
  service.answer({ body: '{}', headers: { 'content-type': 'application/json' } });
  await nginx.reload(replicas(`127.0.0.1:${service.port}`));
});

describe('a request to a service', () => {
  it('keeps what the caller may say and loses everything else', async () => {
    await ask('/api/auth/me?x=1', {
      headers: {
        authorization: 'Bearer kept',
        cookie: 'a=1; b=2',
        origin: 'https://junction.example',
        'idempotency-key': 'once',
        'x-junction-csrf': '1',
        'x-user-id': 'somebody-else',
        'x-user-made-up-today': 'x',
        'x-forwarded-for': '10.0.0.1',
        'x-forwarded-prefix': '/x',
        forwarded: 'for=10.0.0.1',
        traceparent: '00-1-2-01',
        tracestate: 'x=y',
        baggage: 'x=y',
        'x-request-id': 'chosen outside',
      },
    });
    const [{ headers, path: asked } = { headers: {}, path: '' }] = service.requests;
    expect(asked).toBe('/api/auth/me?x=1');
    expect(headers).toEqual({
      host: new URL(nginx.url).host,
      authorization: 'Bearer kept',
      cookie: 'a=1; b=2',
      origin: 'https://junction.example',
      'idempotency-key': 'once',
      'x-junction-csrf': '1',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': new URL(nginx.url).host,
      'x-forwarded-proto': 'http',
    });
  });

  it('arrives with its body', async () => {
    const body = JSON.stringify({ text: 'é'.repeat(100_000) });
    const headers = { 'content-type': 'application/json' };
    await ask('/api/webhooks/configure', { method: 'POST', headers, body });
    expect(service.requests[0]).toMatchObject({ method: 'POST', path: '/api/webhooks/configure' });
    expect(service.requests[0]?.headers['content-type']).toBe('application/json');
    expect(service.requests[0]?.body.toString()).toBe(body);
  });

  it('is answered with what the service said, errors too', async () => {
    const headers = {
      'content-type': 'application/problem+json',
      'retry-after': '7',
      'x-own': 'x',
    };
    service.answer({ status: 503, headers, body: '{"code":"own"}' });
    const { status, headers: got, body } = await ask('/api/events');
    expect({ status, body }).toEqual({ status: 503, body: '{"code":"own"}' });
    expect(got).toMatchObject(headers);
    expect(got).not.toHaveProperty('content-security-policy');
  });

  it('is a problem when its body is beyond all limits', async () => {
    const answer = await ask('/api/auth/login', { method: 'POST', body: 'x'.repeat(1_100_000) });
    expect(problemOf(answer)).toMatchObject({ status: 413, code: 'body_too_large' });
    expect(service.requests).toHaveLength(0);
  });
});

describe('a path', () => {
  it('is asked for without its dot segments', async () => {
    await ask('/api/webhooks/../auth/%2e%2e/auth/caf%C3%A9?next=%2F..');
    expect(service.requests[0]?.path).toBe('/api/auth/caf%C3%A9?next=%2F..');
  });

  it.each([
    '/internal/metrics',
    '/api/auth/../../internal/metrics',
    '/api/authors',
    '/api',
    '//api/auth/me',
    '/-/unavailable',
    '/nothing.html',
  ])('%s leads nowhere, in the words of the services', async (target) => {
    const { status, headers, body } = await ask(target);
    expect(status).toBe(404);
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(body)).toEqual({
      type: 'urn:junction:problem:no_such_route',
      title: 'Not found',
      status: 404,
      detail: 'There is no such resource.',
      code: 'no_such_route',
      request_id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
    });
    expect(service.requests).toHaveLength(0);
  });

  it.each(['/api/auth/a%2fb', '/api/auth%5c..', '/api/auth\\me', '/api/auth/%zz', '/api/auth/%00'])(
    '%s is refused, because it could be read in two ways',
    async (target) => {
      expect(problemOf(await ask(target))).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(service.requests).toHaveLength(0);
    },
  );
});

describe('replicas', () => {
  it('that are all gone are 503 with Retry-After', async () => {
    await nginx.reload(replicas(dead));
    const answer = await ask('/api/auth/me');
    expect(problemOf(answer)).toMatchObject({ status: 503, code: 'upstream_unavailable' });
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('stand in for one that refuses, for a POST too', async () => {
    await nginx.reload(replicas(dead, `127.0.0.1:${service.port}`));
    for (let i = 0; i < 20; i++) {
      expect((await ask('/api/auth/login', { method: 'POST', body: `${i}` })).status).toBe(200);
    }
    expect(service.requests.map(({ body }) => body.toString())).toEqual(
      Array.from({ length: 20 }, (_, i) => `${i}`),
    );
  });

  it('are not asked to repeat a POST that one of them may have carried out', async () => {
    service.answer('close');
    await nginx.reload(replicas(`127.0.0.1:${service.port}`, `localhost:${service.port}`));
    const answer = await ask('/api/auth/login', { method: 'POST', body: '1' });
    expect(problemOf(answer)).toMatchObject({ status: 503, code: 'upstream_unavailable' });
    expect(service.requests).toHaveLength(1);
  });

  it('lose no request when they are exchanged', async () => {
    const other = await startReceiver();
    try {
      const all = [`127.0.0.1:${service.port}`, `127.0.0.1:${other.port}`] as const;
      let asking = true;
      const statuses = (async () => {
        const seen: (number | undefined)[] = [];
        while (asking)
          seen.push((await ask('/api/auth/me', { method: 'POST', body: '{}' })).status);
        return seen;
      })();
      for (const address of [all[1], all[0], all[1]]) await nginx.reload(replicas(address));
      // They are asked one by one: once the other got two, none is on its way from an old worker.
      await gets(other, 2);
      const before = service.requests.length;
      await gets(other, 2);
      asking = false;
      expect(new Set(await statuses)).toEqual(new Set([200]));
      expect(service.requests).toHaveLength(before);
    } finally {
      await other.close();
    }
  });
});

describe('the dashboard', () => {
  const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
  const PAGE_HEADERS = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self';/),
  };

  it.each([
    '/',
    '/index.html',
    '/webhooks/wh_1',
    '/connect/mailbox/callback?code=c0de-of-ada&state=s',
  ])('is the answer to a browser at %s, strict and uncached', async (target) => {
    const { status, headers, body } = await ask(target, asBrowser);
    expect({ status, body }).toEqual({ status: 200, body: INDEX });
    expect(headers).toMatchObject(PAGE_HEADERS);
  });

  it.each(['/api/nothing', '/internal/metrics', '/assets/gone.js', '/.well-known-not'])(
    'is not the answer at %s',
    async (target) => {
      const expected = target === '/.well-known-not' ? 200 : 404;
      expect((await ask(target, asBrowser)).status).toBe(expected);
    },
  );

  it('is no answer to a POST', async () => {
    const answers = ['/', '/webhooks', '/favicon.svg'].map((target) =>
      ask(target, { ...asBrowser, method: 'POST', body: 'x' }),
    );
    for (const answer of await Promise.all(answers)) {
      expect(problemOf(answer)).toMatchObject({ status: 404, code: 'no_such_route' });
    }
  });

  it('has files that are kept for ever, packed', async () => {
    const { headers } = await ask('/assets/app-1.js', { headers: { 'accept-encoding': 'gzip' } });
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
  });

  it('gives nothing away that is hidden or beside it', async () => {
    writeFileSync(path.join(siteDir, '.secret'), 'hidden');
    expect((await ask('/.secret')).status).toBe(404);
    expect((await ask('/../../etc/passwd')).status).toBe(400);
  });

  it('has files that are asked about each time', async () => {
    const { headers } = await ask('/favicon.svg');
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'no-cache',
    });
  });
});

describe('its logs', () => {
  it('say what was asked and answered, and never a query', async () => {
    await ask('/api/auth/me?code=c0de-of-ada');
    await ask('/connect/mailbox/callback?code=c0de-of-ada', { headers: { accept: 'text/html' } });
    await nginx.reload(replicas(dead));
    await ask('/api/integrations?code=c0de-of-ada');
    await ask('/api/integrations%2f?code=c0de-of-ada');
    // Each worker writes a line after its answer, so they come in any order.
    const asked = [
      { method: 'GET', path: '/api/auth/me', status: '200', upstream_status: '200' },
      { method: 'GET', path: '/connect/mailbox/callback', status: '200', upstream: '' },
      { method: 'GET', path: '/api/integrations', status: '503', upstream_status: '502' },
      { method: 'GET', path: '/api/integrations%2f', status: '400', upstream: '' },
    ].map((line) => expect.objectContaining(line));
    await eventually(() => {
      const lines = nginx
        .accessLog()
        .trim()
        .split('\n')
        .slice(-2 * asked.length);
      expect(lines.map((line) => JSON.parse(line))).toEqual(expect.arrayContaining(asked));
    });
    expect(nginx.accessLog() + nginx.errorLog()).not.toContain('c0de-of-ada');
  });
});

async function gets({ requests }: Receiver, more: number): Promise<void> {
  const before = requests.length;
  await eventually(() => expect(requests.length).toBeGreaterThanOrEqual(before + more));
}

const replicas = (...servers: readonly string[]) => ({
  auth: servers,
  integrations: servers,
  webhooks: servers,
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Not fetch, which would tidy the path up and add headers of its own. */
async function ask(target: string, { method = 'GET', headers = {}, body = '' }: Asked = {}) {
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { path: target, method, headers: { ...headers, ...length }, agent: false };
  const sent = request(nginx.url, options).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined); // it may be answered before its body is read
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

function problemOf({ headers, body }: Awaited<ReturnType<typeof ask>>): unknown {
  expect(headers['content-type']).toBe('application/problem+json');
  return JSON.parse(body);
}
