import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Upstream } from '@junction/local-stack';
import { eventually, type Receiver, startReceiver } from '../src/index.js';
import { type Answered, type Asked, askAt } from './ask.js';

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

type Request = Asked & { readonly target: string };
interface Expected {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: string;
}

const INDEX = '<!doctype html><title>Junction</title>';
const PORTAL = '<!doctype html><title>Webhooks</title>';
const PORTAL_ORIGINS = ['https://app.example.com', 'https://other.example.com:8443'];
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const FILE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const PAGE_HEADERS = {
  ...FILE_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
};
const PAGE: Expected = { status: 200, headers: PAGE_HEADERS, body: INDEX };
/** The one page that others may frame. */
const PORTAL_PAGE: Expected = {
  status: 200,
  headers: {
    ...PAGE_HEADERS,
    'content-security-policy': POLICY.replace(
      "img-src 'self' data:",
      `img-src 'self' data: ${PORTAL_ORIGINS.join(' ')}`,
    ).replace("frame-ancestors 'none'", `frame-ancestors ${PORTAL_ORIGINS.join(' ')}`),
  },
  body: PORTAL,
};
const file = (type: string, cacheControl: string): Expected => ({
  status: 200,
  headers: { ...FILE_HEADERS, 'content-type': type, 'cache-control': cacheControl },
});

const problem = (status: number, code: string, title: string, detail: string): Expected => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  body: JSON.stringify({
    type: `/docs/errors#${code}`,
    title,
    status,
    detail,
    code,
    request_id: 'a UUID',
  }),
});
const INVALID = problem(
  400,
  'invalid_request',
  'Invalid request',
  'Send a valid path and valid headers.',
);
const NO_ROUTE = problem(404, 'no_such_route', 'Not found', 'There is no such resource.');
const TOO_LARGE = problem(413, 'body_too_large', 'Too large', 'The body is larger than allowed.');
const AWAY = problem(
  503,
  'upstream_unavailable',
  'Temporarily unavailable',
  'The service behind this path does not answer. Try again in a moment.',
);
const UNAVAILABLE = { ...AWAY, headers: { ...AWAY.headers, 'retry-after': '1' } };

const get = (target: string, headers = {}): Request => ({ method: 'GET', target, headers });
const post = (target: string, body: string, headers = {}): Request => ({
  method: 'POST',
  target,
  headers,
  body,
});

/** Requests that reach a service, each with the service and the path that arrives there. */
const ROUTED: readonly (readonly [target: string, upstream: Upstream, asked: string])[] = [
  ['/api/auth', 'auth', '/api/auth'],
  ['/api/auth/me?x=1', 'auth', '/api/auth/me?x=1'],
  ['/oauth/token', 'auth', '/oauth/token'],
  ['/.well-known/jwks.json', 'auth', '/.well-known/jwks.json'],
  ['/.well-known/webhook-keys.json', 'webhooks', '/.well-known/webhook-keys.json'],
  ['/api/integrations', 'integrations', '/api/integrations'],
  ['/api/integrations/mailbox', 'integrations', '/api/integrations/mailbox'],
  ['/api/webhooks', 'webhooks', '/api/webhooks'],
  ['/api/webhooks/configure', 'webhooks', '/api/webhooks/configure'],
  ['/api/events', 'webhooks', '/api/events'],
  ['/api/deliveries', 'webhooks', '/api/deliveries'],
  ['/api/events/msg_1', 'webhooks', '/api/events/msg_1'],
  ['/api/portal-links/exchange', 'auth', '/api/portal-links/exchange'],
  ['/api/ops/auth/users?limit=1', 'auth', '/api/ops/auth/users?limit=1'],
  ['/api/ops/integrations/health', 'integrations', '/api/ops/integrations/health'],
  ['/api/ops/webhook-dispatcher/audit', 'webhooks', '/api/ops/webhook-dispatcher/audit'],
  ['/api/webhooks/../auth/%2e%2e/auth/caf%C3%A9?a=%2F..', 'auth', '/api/auth/caf%C3%A9?a=%2F..'],
];

/** Requests that the gateway answers by itself. */
const OWN_ANSWERS: readonly (readonly [Request, Expected])[] = [
  ...[
    '/internal/metrics',
    '/api/auth/../../internal/metrics',
    '/internal/api/ops/auth/health',
    '/api/ops/auth/../../../internal/api/ops/auth/streams',
    '//internal/api/ops/auth/streams',
    '/api/authors',
    '/api/ops',
    '/api/ops/webhooks/health',
    '/api',
    '/oauth',
    '//api/auth/me',
    '/-/unavailable',
    '/nothing.html',
    '/webhooks',
    '/.secret',
    '/assets/app-1.js.gz',
    '/assets/app-1.js.br',
    '/docs/nothing',
    '/docs/guide.txt',
  ].map((target) => [get(target), NO_ROUTE] as const),
  ...[
    '/api/nothing',
    '/internal/metrics',
    '/oauth/nothing',
    '/assets/gone.js',
    '/docs/nothing',
    '/docs/errors/',
  ].map((target) => [get(target, BROWSER), NO_ROUTE] as const),
  ...[
    '/',
    '/webhooks',
    '/favicon.svg',
    '/internal/metrics',
    '/internal/api/ops/auth/clients',
    '/docs',
    '/docs/errors',
  ].map((target) => [post(target, 'x', BROWSER), NO_ROUTE] as const),
  ...[
    '/api/auth/a%2fb',
    '/api/auth/a%2Fb',
    '/api/auth%5c..',
    '/api/auth\\me',
    '/api/auth/%00',
    '/api/auth/%zz',
    '/api/auth/%4',
    '/api/auth/%',
    '/..%2fbeside.txt',
  ].map((target) => [get(target), INVALID] as const),
  [post('/api/auth/login', 'x'.repeat(1_100_000)), TOO_LARGE],
  ...[
    '/',
    '/index.html',
    '/webhooks/wh_1?status=retrying',
    '/connect/acme/mailbox/callback?code=c',
  ].map((target) => [get(target, BROWSER), PAGE] as const),
  ...['/portal', '/portal/', '/portal/webhooks/wh_1?x=1', '/portal.html'].map(
    (target) => [get(target, BROWSER), PORTAL_PAGE] as const,
  ),
  [get('/portals', BROWSER), PAGE],
  [get('/portal'), NO_ROUTE],
  [
    { ...get('/', BROWSER), method: 'HEAD' },
    { ...PAGE, body: '' },
  ],
  [
    get('/assets/app-1.js'),
    file('text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'),
  ],
  [get('/favicon.svg'), file('image/svg+xml', 'no-cache')],
  ...['/docs', '/docs/errors', '/docs/errors?from=a-problem'].map(
    (target) => [get(target), file('text/html; charset=utf-8', 'no-cache')] as const,
  ),
  [
    get('/docs/api/try'),
    {
      status: 200,
      headers: {
        ...FILE_HEADERS,
        'content-security-policy': POLICY.replace(
          "style-src 'self'",
          "style-src 'self' 'unsafe-inline'",
        ),
      },
    },
  ],
  ...['/docs.md', '/docs/errors.md'].map(
    (target) => [get(target, BROWSER), file('text/markdown; charset=utf-8', 'no-cache')] as const,
  ),
  [get('/llms.txt'), file('text/plain; charset=utf-8', 'no-cache')],
  [get('/docs/'), { status: 308, headers: { location: '/docs' } }],
];

/** Files that the build leaves with a compressed twin. */
const PACKED = [
  ['/', 'index.html', 'text/html', 'no-store'],
  ['/webhooks/wh_1', 'index.html', 'text/html', 'no-store'],
  ['/assets/app-1.js', 'assets/app-1.js', 'text/javascript', 'public, max-age=31536000, immutable'],
  ['/assets/app-1.css', 'assets/app-1.css', 'text/css', 'public, max-age=31536000, immutable'],
] as const;

/** Statuses of a service that pass through untouched, also those for which a gateway has a problem of its own. */
const STATUSES = [200, 204, 302, 400, 401, 404, 405, 409, 413, 429, 500, 502, 503, 504];

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

    it.each(PACKED)('sends %s as the build packed it', async (target, name, type, cacheControl) => {
      const answer = await ask(
        get(target, { ...BROWSER, 'accept-encoding': 'deflate, GZIP;q=0.5' }),
      );
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        ...file(`${type}; charset=utf-8`, cacheControl).headers,
        'content-encoding': 'gzip',
        vary: 'Accept-Encoding',
      });
      // The packed file beside the original is sent, and nothing is packed anew.
      expect(gunzipSync(answer.raw).toString()).toBe(`packed ${name}`);
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

const PASSED = {
  accept: 'application/json',
  'accept-language': 'en',
  authorization: 'Bearer kept',
  'content-encoding': 'identity',
  'content-type': 'application/json',
  cookie: 'a=1; b=2',
  'idempotency-key': 'once',
  'if-match': '"1"',
  'if-none-match': '"2"',
  'last-event-id': '3',
  origin: 'https://junction.example',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
  'user-agent': 'a test',
  'x-junction-csrf': '1',
};

const REFUSED = {
  'x-user-id': 'somebody-else',
  'x-user-made-up-today': 'x',
  'x-forwarded-for': '10.0.0.1',
  'x-forwarded-host': 'elsewhere.example',
  'x-forwarded-prefix': '/x',
  'x-forwarded-proto': 'https',
  forwarded: 'for=10.0.0.1',
  traceparent: '00-1-2-01',
  tracestate: 'x=y',
  baggage: 'x=y',
  'x-request-id': 'chosen outside',
};

/** Writes a site as a build leaves it, and a file beside it. Returns the folder of the build. */
function writeSite(folder: string): string {
  const root = path.join(folder, 'site');
  mkdirSync(path.join(root, 'assets'), { recursive: true });
  writeFileSync(path.join(root, 'index.html'), INDEX);
  writeFileSync(path.join(root, 'portal.html'), PORTAL);
  writeFileSync(path.join(root, 'assets/app-1.js'), `// ${'x'.repeat(2_000)}`);
  writeFileSync(path.join(root, 'assets/app-1.css'), `/* ${'x'.repeat(2_000)} */`);
  for (const [, name] of PACKED) {
    writeFileSync(path.join(root, `${name}.gz`), gzipSync(`packed ${name}`));
  }
  writeFileSync(path.join(root, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  mkdirSync(path.join(root, 'docs/api'), { recursive: true });
  for (const page of ['docs.html', 'docs/errors.html', 'docs/api/try.html']) {
    writeFileSync(path.join(root, page), '<!doctype html><title>Docs</title>');
  }
  for (const page of ['docs.md', 'docs/errors.md']) writeFileSync(path.join(root, page), '# Docs');
  writeFileSync(path.join(root, 'llms.txt'), '# Junction');
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
