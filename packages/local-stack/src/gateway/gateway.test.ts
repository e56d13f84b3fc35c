import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { gateway } from './gateway.js';
import { readPageRules } from './page-rules.js';
import { readRoutingTable, upstreamOf } from './routing-table.js';
import { site } from './site.js';

const INFRA = path.resolve(import.meta.dirname, '../../../../infra/gateway');
const table = readRoutingTable(path.join(INFRA, 'routes.json'));
const opened: Server[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  for (const server of opened.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
});

describe('the routing table', () => {
  it.each([
    ['/api/auth/login', 'auth'],
    ['/oauth/token', 'auth'],
    ['/.well-known/jwks.json', 'auth'],
    ['/api/integrations', 'integrations'],
    ['/api/integrations/mailbox/connect', 'integrations'],
    ['/api/webhooks/configure', 'webhooks'],
    ['/api/events/msg_1', 'webhooks'],
  ])('sends %s to %s', (path, upstream) => {
    expect(upstreamOf(table, path)).toBe(upstream);
  });

  it.each(['/internal/metrics', '/api/authors', '/api', '/'])('sends %s to nobody', (path) => {
    expect(upstreamOf(table, path)).toBeUndefined();
  });
});

describe('the front door', () => {
  it('replaces what an outsider says about where the request came from', async () => {
    const { seen, ask } = await house();
    await ask('/api/auth/me', {
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'x-user-id': 'somebody-else',
      traceparent: '00-1-2-01',
      authorization: 'Bearer kept',
    });
    expect(seen[0]?.headers).toMatchObject({
      'x-forwarded-for': expect.stringMatching(/127\.0\.0\.1$|^::1$/),
      'x-forwarded-proto': 'http',
      authorization: 'Bearer kept',
    });
    for (const name of ['forwarded', 'x-user-id', 'traceparent']) {
      expect(seen[0]?.headers).not.toHaveProperty(name);
    }
  });

  it('asks for what it routed, with no dot segment left', async () => {
    const { seen, ask } = await house();
    await ask('/api/webhooks/../auth/%2e%2e/auth/me?x=1');
    expect(seen[0]?.url).toBe('/api/auth/me?x=1');
    expect((await ask('/api/auth/../../internal/metrics')).status).toBe(404);
  });

  it('answers 503 with Retry-After while a service is down', async () => {
    const { ask, upstream } = await house();
    upstream.close();
    upstream.closeAllConnections();
    const { status, headers, body } = await ask('/api/auth/me');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(JSON.parse(body)).toMatchObject({ status: 503, code: 'upstream_unavailable' });
  });
});

describe('the dashboard', () => {
  const browser = { accept: 'text/html,application/xhtml+xml' };

  it.each(['/', '/webhooks', '/webhooks/wh_1?status=retrying', '/connect/mailbox/callback?code=c'])(
    'is the page at %s',
    async (path) => {
      const { ask } = await house();
      const { status, headers, body } = await ask(path, browser);
      expect({ status, body }).toEqual({ status: 200, body: '<title>page</title>' });
      expect(headers).toMatchObject({
        'content-type': expect.stringContaining('text/html'),
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; /,
        ),
      });
    },
  );

  it('is kept by browsers for ever where a name changes with its content', async () => {
    const { ask } = await house();
    const { status, headers } = await ask('/assets/index-1.js');
    expect(status).toBe(200);
    expect(headers['cache-control']).toContain('immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each(['/assets/gone.js', '/api/nothing', '/internal/metrics', '/oauth/nothing'])(
    'is no answer to %s',
    async (path) => {
      const { ask } = await house();
      const { status, body } = await ask(path, browser);
      expect(status).toBe(404);
      expect(JSON.parse(body)).toMatchObject({ code: 'no_such_route' });
    },
  );

  it('is no answer to a program that asks for data, nor to anything but a read', async () => {
    const { ask } = await house();
    expect((await ask('/webhooks', { accept: 'application/json' })).status).toBe(404);
    expect((await ask('/webhooks', browser, 'POST')).status).toBe(404);
  });

  it('gives nothing away that is hidden or beside it', async () => {
    const { ask } = await house();
    expect((await ask('/..%2fsecret.txt')).status).toBe(400);
    expect((await ask('/../secret.txt')).status).toBe(404);
    expect((await ask('/.secret')).status).toBe(404);
  });
});

/** What a build leaves, and a file beside it. */
function dashboard(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'site-'));
  folders.push(folder);
  const root = path.join(folder, 'site');
  mkdirSync(path.join(root, 'assets'), { recursive: true });
  writeFileSync(path.join(root, 'index.html'), '<title>page</title>');
  writeFileSync(path.join(root, 'assets/index-1.js'), 'export {};');
  writeFileSync(path.join(root, '.secret'), 'hidden');
  writeFileSync(path.join(folder, 'secret.txt'), 'beside');
  return root;
}

/** A gateway with one upstream behind every prefix, which remembers what it was asked. */
async function house() {
  const seen: IncomingMessage[] = [];
  const upstream = createServer((req, res) => {
    seen.push(req);
    res.end('{}');
  });
  const behind = await listening(upstream);
  const door = await listening(
    gateway(
      table,
      { auth: behind, integrations: behind, webhooks: behind },
      site(readPageRules(path.join(INFRA, 'pages.json')), dashboard()),
    ),
  );
  return {
    seen,
    upstream,
    ask: (path: string, headers = {}, method = 'GET') => asked(door, method, path, headers),
  };
}

async function listening(server: Server): Promise<string> {
  opened.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Not fetch, which would tidy the path up before it sends it. */
async function asked(
  origin: string,
  method: string,
  path: string,
  headers: Record<string, string>,
) {
  const sent = request(origin, { method, path, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, body };
}
