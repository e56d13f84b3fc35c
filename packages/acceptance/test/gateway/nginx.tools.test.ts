import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
} from '@junction/testing';
import { askAt } from './ask.js';
import { holdToGatewayCases } from './gateway-cases.js';

describe('nginx', () => {
  holdToGatewayCases(({ auth, integrations, webhooks }, siteDir, portalOrigins) => {
    const upstreams = { auth: [auth], integrations: [integrations], webhooks: [webhooks] };
    return startNginx({ upstreams, siteDir, portalOrigins });
  });
});

describe('nginx alone', () => {
  const siteDir = mkdtempSync(path.join(tmpdir(), 'junction-site-'));
  let service: Receiver;
  let nginx: Nginx;
  let dead: string;
  const here = () => `127.0.0.1:${service.port}`;
  const post = (body: string) => askAt(nginx.url, '/api/auth/login', { method: 'POST', body });

  beforeAll(async () => {
    writeFileSync(path.join(siteDir, 'index.html'), '<title>Junction</title>');
    service = await startReceiver();
    dead = `127.0.0.1:${await freePort()}`;
    nginx = await startNginx({ upstreams: replicas(here()), siteDir });
  });

  afterAll(async () => {
    await nginx?.stop();
    await service?.close();
    rmSync(siteDir, { recursive: true });
  });

  beforeEach(async () => {
    service.clear();
    service.answer({ body: '{}' });
    await nginx.reload(replicas(here()));
  });

  it('asks another replica when one refuses, for a POST too', async () => {
    await nginx.reload(replicas(dead, here()));
    for (let i = 0; i < 20; i++) expect((await post(`${i}`)).status).toBe(200);
    expect(service.requests.map(({ body }) => body.toString())).toEqual(
      Array.from({ length: 20 }, (_, i) => `${i}`),
    );
  });

  it('repeats no POST that a replica may have carried out', async () => {
    service.answer('close');
    await nginx.reload(replicas(here(), `localhost:${service.port}`));
    expect((await post('1')).status).toBe(503);
    expect(service.requests).toHaveLength(1);
  });

  it('gives an address that answers nothing up, and asks another replica', async () => {
    const hole = await startBlackHole();
    try {
      await nginx.reload(replicas(hole.address, here()));
      const statuses = await Promise.all(['1', '2', '3', '4'].map(post));
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(service.requests).toHaveLength(4);
      await eventually(() => expect(nginx.accessLog()).toContain('"upstream_status":"504, 200"'));
    } finally {
      await hole.stop();
    }
  });

  it('loses no request when replicas are exchanged', async () => {
    const other = await startReceiver();
    try {
      const there = `127.0.0.1:${other.port}`;
      let asking = true;
      const statuses = (async () => {
        const seen: (number | undefined)[] = [];
        while (asking) seen.push((await post('{}')).status);
        return seen;
      })();
      for (const address of [there, here(), there]) await nginx.reload(replicas(address));
      // Requests go one by one: once the other got two, none is on its way from an old worker.
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

  it('is healthy', async () => {
    expect(await askAt(nginx.url, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
  });

  it('tells Prometheus its connections, and tells nobody else', async () => {
    const page = await (await fetch(nginx.metricsUrl)).text();
    expect(page).toMatch(
      /^junction_gateway_connections\{service="gateway",state="writing"\} [1-9]/m,
    );
    expect(await askAt(nginx.url, '/internal/metrics')).toMatchObject({ status: 404 });
  });

  it('logs what was asked and answered, and never a query', async () => {
    await askAt(nginx.url, '/api/auth/me?code=c0de-of-ada');
    const browser = { headers: { accept: 'text/html' } };
    await askAt(nginx.url, '/connect/acme/mailbox/callback?code=c0de-of-ada', browser);
    await nginx.reload(replicas(dead));
    await askAt(nginx.url, '/api/integrations?code=c0de-of-ada');
    await askAt(nginx.url, '/api/integrations%2f?code=c0de-of-ada');
    const logged = [
      { method: 'GET', path: '/api/auth/me', status: '200', upstream_status: '200' },
      { method: 'GET', path: '/connect/acme/mailbox/callback', status: '200', upstream: '' },
      {
        method: 'GET',
        path: '/api/integrations',
        status: '503',
        upstream_status: '502',
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      { method: 'GET', path: '/api/integrations%2f', status: '400', upstream: '' },
    ].map((line) => expect.objectContaining(line));
    // Each worker writes a line after its answer, so lines come in any order.
    await eventually(() => {
      const lines = nginx
        .accessLog()
        .trim()
        .split('\n')
        .slice(-2 * logged.length);
      expect(lines.map((line) => JSON.parse(line))).toEqual(expect.arrayContaining(logged));
    });
    expect(nginx.accessLog() + nginx.errorLog()).not.toContain('c0de-of-ada');
  });
});

describe('nginx behind a proxy that ends TLS', () => {
  let service: Receiver;
  const starting: Nginx[] = [];
  const ask = async (trustedProxies: readonly string[], headers: Record<string, string>) => {
    const upstreams = replicas(`127.0.0.1:${service.port}`);
    const nginx = await startNginx({ upstreams, trustedProxies });
    starting.push(nginx);
    const answers = await Promise.all(
      ['/api/auth/me', '/nothing.html', '/docs/', '/healthz'].map((target) =>
        askAt(nginx.url, target, { headers }),
      ),
    );
    return {
      passed: service.requests[0]?.headers,
      policies: new Set(answers.map((answer) => answer.headers['strict-transport-security'])),
    };
  };
  const OF_ADA = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };

  beforeAll(async () => {
    service = await startReceiver();
  });
  beforeEach(() => service.clear());
  afterAll(async () => {
    for (const nginx of starting) await nginx.stop();
    await service.close();
  });

  it('believes that the client came by TLS, and has it stay with it', async () => {
    const { passed, policies } = await ask(['127.0.0.0/8'], OF_ADA);
    expect(passed).toMatchObject(OF_ADA);
    expect(policies).toEqual(new Set(['max-age=31536000']));
  });

  it.each([
    ['203.0.113.7:50000', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['unknown', '127.0.0.1'],
  ])('passes “%s” on as the address %s', async (forwardedFor, client) => {
    const { passed } = await ask(['127.0.0.0/8'], { 'x-forwarded-for': forwardedFor });
    expect(passed).toMatchObject({ 'x-forwarded-for': client });
  });

  it.each([
    ['from somebody else', ['192.0.2.1'], OF_ADA, '127.0.0.1'],
    ['of plain HTTP', ['127.0.0.0/8'], { ...OF_ADA, 'x-forwarded-proto': 'http' }, '203.0.113.7'],
    [
      'of a scheme there is not',
      ['127.0.0.0/8'],
      { ...OF_ADA, 'x-forwarded-proto': 'https, http' },
      '203.0.113.7',
    ],
  ])('takes word %s for http', async (_, trusted, headers, client) => {
    const { passed, policies } = await ask(trusted, headers);
    expect(passed).toMatchObject({ 'x-forwarded-for': client, 'x-forwarded-proto': 'http' });
    expect(policies).toEqual(new Set([undefined]));
  });
});

/** Listens and never accepts, with a full queue, so that nobody hears whether it is there. Node cannot. */
async function startBlackHole(): Promise<{ address: string; stop(): Promise<void> }> {
  const child = spawn('python3', ['-uc', BLACK_HOLE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    address: `127.0.0.1:${port.toString().trim()}`,
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

const BLACK_HOLE = `
import socket, sys
hole = socket.create_server(("127.0.0.1", 0), backlog=0)
waiting = [socket.socket() for _ in range(4)]
for one in waiting:
    one.setblocking(False)
    one.connect_ex(hole.getsockname())
print(hole.getsockname()[1])
sys.stdin.read()
`;

async function gets({ requests }: Receiver, more: number): Promise<void> {
  const before = requests.length;
  await eventually(() => expect(requests.length).toBeGreaterThanOrEqual(before + more));
}

const replicas = (...servers: readonly string[]) => ({
  auth: servers,
  integrations: servers,
  webhooks: servers,
});
