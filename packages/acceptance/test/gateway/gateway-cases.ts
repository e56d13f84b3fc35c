import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Upstream } from '@junction/local-stack';
import { eventually, type ReceivedRequest, type Receiver, startReceiver } from '@junction/testing';
import { type Answered, askAt } from './ask.js';
import {
  BROWSER,
  ENCODINGS,
  type Expected,
  get,
  INDEX,
  NOT_FOUND,
  OTHER_CONDITIONS,
  OWN_ANSWERS,
  PACKED,
  PASSED,
  PORTAL,
  PORTAL_ORIGINS,
  post,
  REFUSED,
  type Request,
  ROUTED,
  STATUSES,
  TAKING_IF_MATCH,
  TOO_LONG,
  UNAVAILABLE,
} from './gateway-answers.js';

/** A gateway under test, in front of services at host:port and with a dashboard's files. */
export interface Gateway {
  /** Address without a path or a slash at the end. */
  readonly url: string;
  /** Returns the log of the gateway's answers: one JSON text per line. */
  accessLog(): string;
  stop(): Promise<void>;
}

export type StartGateway = (
  services: Readonly<Record<Upstream, string>>,
  siteDir: string,
  portalOrigins: readonly string[],
) => Promise<Gateway>;

/** Holds a gateway to the answers of every gateway of the product. */
export function holdToGatewayCases(start: StartGateway): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'junction-gateway-'));
  const services = {} as Record<Upstream, Receiver>;
  let gateway: Gateway;
  const ask = ({ target, ...asked }: Request) => askAt(gateway.url, target, asked);
  const received = () => Object.values(services).flatMap(({ requests }) => requests);

  beforeAll(async () => {
    for (const name of ['auth', 'integrations', 'webhooks'] as const) {
      services[name] = await startReceiver();
    }
    const at = (name: Upstream) => `127.0.0.1:${services[name].port}`;
    const hosts = {
      auth: at('auth'),
      integrations: at('integrations'),
      webhooks: at('webhooks'),
    };
    gateway = await start(hosts, writeSite(folder), PORTAL_ORIGINS);
  });

  afterAll(async () => {
    await gateway?.stop();
    for (const service of Object.values(services)) await service.close();
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => {
    for (const service of Object.values(services)) {
      service.clear();
      service.answer({ body: '{}', headers: { 'content-type': 'application/json' } });
    }
  });

  it.each(ROUTED)('sends %s to %s as %s', async (target, upstream, asked) => {
    expect((await ask(get(target))).status).toBe(200);
    expect(services[upstream].requests).toMatchObject([{ method: 'GET', path: asked }]);
    expect(received()).toHaveLength(1);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'leaves it to the service what %s means',
    async (method) => {
      services.auth.answer({ status: 405, headers: { allow: 'GET' } });
      const answer = await ask({ method, target: '/api/auth/me' });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET' } });
      expect(services.auth.requests).toMatchObject([{ method }]);
    },
  );

  it('passes the listed headers and what it sees itself, and nothing else', async () => {
    await ask(get('/api/auth/me', { ...PASSED, ...REFUSED }));
    const { connection: _, ...headers } = services.auth.requests[0]?.headers ?? {};
    const { host } = new URL(gateway.url);
    expect(headers).toEqual({
      ...PASSED,
      host,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': host,
      'x-forwarded-proto': 'http',
    });
  });

  it.each(['cookie', 'authorization'])('passes a header %s of 16 KiB', async (name) => {
    const value = 'x'.repeat(16_384);
    expect((await ask(get('/api/webhooks', { [name]: value }))).status).toBe(200);
    expect(services.webhooks.requests[0]?.headers[name]).toBe(value);
  });

  it('passes an address of 16 KiB, and serves a browser with as many cookies', async () => {
    const target = `/api/webhooks?x=${'y'.repeat(16_384)}`;
    expect((await ask(get(target))).status).toBe(200);
    expect(services.webhooks.requests[0]?.path).toBe(target);
    const cookie = 'x'.repeat(16_384);
    expect(await ask(get('/', { ...BROWSER, cookie }))).toMatchObject({ status: 200, body: INDEX });
  });

  // Only nginx has to look for it: an empty header is to it as none.
  it('has an empty If-Match refused, and nothing that is beside one', async () => {
    const answer = ({ headers }: ReceivedRequest) =>
      headers['if-match'] === '' ? { status: 400, body: '"code":"invalid_if_match"' } : {};
    for (const name of ['webhooks', 'integrations'] as const) services[name].answer(answer);
    for (const [method, target] of TAKING_IF_MATCH) {
      const change = (headers: Record<string, string>) => ask({ method, target, headers });
      const refused = await change({ 'if-match': '' });
      expect(refused.status).toBe(400);
      expect(refused.body).toContain('"code":"invalid_if_match"');
      expect((await change({ 'if-match': '"1"' })).status).toBe(200);
      expect((await change(OTHER_CONDITIONS)).status).toBe(200);
    }
  });

  it('passes a body whole', async () => {
    const body = JSON.stringify({ text: 'é'.repeat(100_000) });
    await ask(post('/api/webhooks/configure', body, { 'content-type': 'application/json' }));
    expect(services.webhooks.requests[0]?.body.toString()).toBe(body);
  });

  it.each(STATUSES)('passes a service’s own %d untouched', async (status) => {
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '7', own: 'x' };
    const body = status === 204 ? '' : '{"code":"own"}';
    services.webhooks.answer({ status, headers, body });
    const answer = await ask(get('/api/events'));
    expect(answer).toMatchObject({ status, headers, body });
    expect(answer.headers).not.toHaveProperty('content-security-policy');
  });

  describe('by itself', () => {
    it.each(OWN_ANSWERS.map(([asked, answer]) => [asked.method, asked.target, asked, answer]))(
      'answers %s %s',
      async (_method, _target, asked, answer) => {
        expect(withoutRequestId(await ask(asked as Request))).toMatchObject(answer as Expected);
        expect(received()).toHaveLength(0);
      },
    );

    it.each(TOO_LONG)('answers %s by itself', async (_, asked, answer) => {
      expect(withoutRequestId(await ask(asked))).toMatchObject(answer);
      expect(received()).toHaveLength(0);
    });

    describe.each(ENCODINGS)('in %s to whoever accepts “%s”', (encoding, accepted) => {
      // A proxy on the way says so.
      const headers = { ...BROWSER, 'accept-encoding': accepted, via: '1.1 balancer' };

      it.each(PACKED)('sends %s as the build packed it', async (target, name, { headers: own }) => {
        const answer = await ask(get(target, headers));
        expect(answer).toMatchObject({
          status: 200,
          headers: { ...own, 'content-encoding': encoding, vary: 'Accept-Encoding' },
        });
        // The packed file beside the original is sent, and nothing is packed anew.
        const unpacked = (encoding === 'br' ? brotliDecompressSync : gunzipSync)(answer.raw);
        expect(unpacked.toString()).toBe(`packed ${name}`);
      });

      it('sends its headers alone, always all of it, and once', async () => {
        const askForIt = (more: object) => ask({ ...get('/assets/app-1.js', headers), ...more });
        const whole = await askForIt({});
        const length = `${whole.raw.length}`;
        const described = { 'content-encoding': encoding, 'content-length': length };
        expect(await askForIt({ method: 'HEAD' })).toMatchObject({ headers: described, body: '' });
        const part = await askForIt({ headers: { ...headers, range: 'bytes=2-5' } });
        expect(part).toMatchObject({ status: 200, headers: described });
        const known = { ...headers, 'if-none-match': whole.headers.etag };
        const again = await askForIt({ headers: known });
        expect(again).toMatchObject({
          status: 304,
          headers: { vary: 'Accept-Encoding' },
          body: '',
        });
        expect(again.headers).not.toHaveProperty('content-encoding');
        // Another form of it has another tag.
        const plain = await askForIt({ headers: { ...known, 'accept-encoding': 'identity' } });
        expect(plain.status).toBe(200);
      });
    });

    it.each(['', 'identity', 'gzip;q=0', 'br;q=0, gzip;q=0.0'])(
      'sends it as it is to whoever accepts “%s”',
      async (accepted) => {
        const answer = await ask(get('/assets/app-1.js', { 'accept-encoding': accepted }));
        expect(answer).toMatchObject({ status: 200, headers: { vary: 'Accept-Encoding' } });
        expect(answer.headers).not.toHaveProperty('content-encoding');
        expect(answer.body).toContain('xxx');
      },
    );

    it.each([
      [404, '/nothing.html'],
      [400, '/api/auth/a%2fb'],
    ])('logs a %d by the id that it answered, and without the query', async (status, path) => {
      const { body } = await ask(get(`${path}?code=c0de-of-ada`));
      const { request_id } = JSON.parse(body) as { request_id: string };
      await eventually(() => {
        const line = gateway
          .accessLog()
          .split('\n')
          .find((text) => text.includes(request_id));
        // nginx writes every value as a string.
        expect(JSON.parse(line ?? '{}')).toMatchObject({ request_id, path, method: 'GET' });
        expect(line).toMatch(new RegExp(`"status":"?${status}`));
      });
      expect(gateway.accessLog()).not.toContain('c0de-of-ada');
    });

    it('gives away no file beside the dashboard', async () => {
      const { status, body } = await ask(get('/../beside.txt'));
      expect([400, 404]).toContain(status); // nginx refuses to leave the root, Node stays in it
      expect(body).not.toContain('a file beside');
    });

    it('answers 503 for a service that tears the connection', async () => {
      services.auth.answer('close');
      const answer = await ask(post('/api/auth/login', '{}'));
      expect(withoutRequestId(answer)).toMatchObject(UNAVAILABLE);
      expect(received()).toHaveLength(1);
    });

    it('breaks off an answer that a service broke off', async () => {
      services.auth.answer('break off');
      await expect(ask(get('/api/auth/me'))).rejects.toThrow('aborted');
    });

    it('answers 503 for a service that is away', async () => {
      await services.integrations.close();
      expect(withoutRequestId(await ask(get('/api/integrations')))).toMatchObject(UNAVAILABLE);
      services.integrations = await startReceiver();
    });
  });
}

/** Writes a site as a build leaves it, and a file beside it. Returns the folder of the build. */
function writeSite(folder: string): string {
  const root = path.join(folder, 'site');
  mkdirSync(path.join(root, 'assets'), { recursive: true });
  writeFileSync(path.join(root, 'index.html'), INDEX);
  writeFileSync(path.join(root, 'portal.html'), PORTAL);
  writeFileSync(path.join(root, 'assets/app-1.js'), `// ${'x'.repeat(2_000)}`);
  writeFileSync(path.join(root, 'assets/app-1.css'), `/* ${'x'.repeat(2_000)} */`);
  mkdirSync(path.join(root, 'docs'));
  for (const name of ['favicon.svg', 'assets/logo-1.svg']) {
    writeFileSync(path.join(root, name), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  }
  for (const [, name] of PACKED) {
    writeFileSync(path.join(root, `${name}.gz`), gzipSync(`packed ${name}`));
    writeFileSync(path.join(root, `${name}.br`), brotliCompressSync(`packed ${name}`));
  }
  for (const page of ['docs.html', 'docs/errors.html']) {
    writeFileSync(path.join(root, page), '<!doctype html><title>Docs</title>');
  }
  writeFileSync(path.join(root, 'docs/not-found.html'), NOT_FOUND);
  for (const page of ['docs.md', 'docs/errors.md']) writeFileSync(path.join(root, page), '# Docs');
  writeFileSync(path.join(root, 'llms.txt'), '# Junction');
  writeFileSync(path.join(root, 'openapi.json'), '{}');
  writeFileSync(path.join(root, '.secret'), 'hidden');
  writeFileSync(path.join(folder, 'beside.txt'), 'a file beside');
  return root;
}

const withoutRequestId = (answer: Answered): Answered => ({
  ...answer,
  body: answer.body.replace(
    /"request_id":"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}"/,
    '"request_id":"a UUID"',
  ),
});
