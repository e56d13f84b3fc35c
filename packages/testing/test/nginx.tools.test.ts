import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
} from '../src/index.js';
import { askAt } from './ask.js';
import { holdToGatewayCases } from './gateway-cases.js';

describe('nginx', () => {
  holdToGatewayCases(({ auth, integrations, webhooks }, siteDir) => {
    const upstreams = { auth: [auth], integrations: [integrations], webhooks: [webhooks] };
    return startNginx({ upstreams, siteDir });
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
    mkdirSync(path.join(siteDir, 'assets'));
    writeFileSync(path.join(siteDir, 'index.html'), '<title>Junction</title>');
    writeFileSync(path.join(siteDir, 'assets', 'app-1.js'), `// ${'x'.repeat(2_000)}`);
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

  it('packs the files of the dashboard', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const answer = await askAt(nginx.url, '/assets/app-1.js', { headers });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  });

  it('is healthy', async () => {
    expect(await askAt(nginx.url, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
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
      { method: 'GET', path: '/api/integrations', status: '503', upstream_status: '502' },
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

async function gets({ requests }: Receiver, more: number): Promise<void> {
  const before = requests.length;
  await eventually(() => expect(requests.length).toBeGreaterThanOrEqual(before + more));
}

const replicas = (...servers: readonly string[]) => ({
  auth: servers,
  integrations: servers,
  webhooks: servers,
});
