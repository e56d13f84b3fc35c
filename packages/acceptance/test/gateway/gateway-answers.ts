import type { Upstream } from '@junction/local-stack';
import type { Asked } from './ask.js';

export type Request = Asked & { readonly target: string };
export interface Expected {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: string;
}

export const INDEX = '<!doctype html><title>Junction</title>';
export const PORTAL = '<!doctype html><title>Webhooks</title>';
export const PORTAL_ORIGINS = ['https://app.example.com', 'https://other.example.com:8443'];
/** Media types have no case. */
export const BROWSER = { accept: 'Text/HTML,application/xhtml+xml,*/*;q=0.8' };

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
export const NOT_FOUND = '<!doctype html><title>No such page</title>';
const DOCS_NOT_FOUND: Expected = {
  status: 404,
  headers: { ...PAGE_HEADERS, 'cache-control': 'no-cache' },
  body: NOT_FOUND,
};
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
export const file = (type: string, cacheControl: string): Expected => ({
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
export const UNAVAILABLE = { ...AWAY, headers: { ...AWAY.headers, 'retry-after': '1' } };

export const get = (target: string, headers = {}): Request => ({ method: 'GET', target, headers });
export const post = (target: string, body: string, headers = {}): Request => ({
  method: 'POST',
  target,
  headers,
  body,
});

/** Requests that reach a service, each with the service and the path that arrives there. */
export const ROUTED: readonly (readonly [target: string, upstream: Upstream, asked: string])[] = [
  ['/api/auth', 'auth', '/api/auth'],
  ['/api/auth/me?x=1', 'auth', '/api/auth/me?x=1'],
  ['/oauth/token', 'auth', '/oauth/token'],
  ['/.well-known/jwks.json', 'auth', '/.well-known/jwks.json'],
  ['/.well-known/oauth-authorization-server', 'auth', '/.well-known/oauth-authorization-server'],
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

const targets = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Requests that the gateway answers by itself. */
export const OWN_ANSWERS: readonly (readonly [Request, Expected])[] = [
  ...targets(`
    /internal/metrics /api/auth/../../internal/metrics /internal/api/ops/auth/health
    /api/ops/auth/../../../internal/api/ops/auth/streams //internal/api/ops/auth/streams
    /api/authors /api/ops /api/ops/webhooks/health /api /oauth //api/auth/me /-/unavailable
    /nothing.html /webhooks /.secret /assets/app-1.js.gz /assets/app-1.js.br /docs/nothing
    /docs/guide.txt /docs/not-found /docs/not-found.html`).map(
    (target) => [get(target), NO_ROUTE] as const,
  ),
  ...targets(`
    /api/nothing /internal/metrics /oauth/nothing /assets/gone.js`).map(
    (target) => [get(target, BROWSER), NO_ROUTE] as const,
  ),
  ...targets(`
    /docs/nothing /docs/errors/ /docs/api/guide.txt?x=1 /docs/not-found
    /docs/not-found.html`).map((target) => [get(target, BROWSER), DOCS_NOT_FOUND] as const),
  ...targets(`
    / /webhooks /favicon.svg /internal/metrics /internal/api/ops/auth/clients /docs
    /docs/errors /docs/nothing`).map((target) => [post(target, 'x', BROWSER), NO_ROUTE] as const),
  ...targets(`
    /api/auth/a%2fb /api/auth/a%2Fb /api/auth%5c.. /api/auth\\me /api/auth/%00 /api/auth/%zz
    /api/auth/%4 /api/auth/% /..%2fbeside.txt`).map((target) => [get(target), INVALID] as const),
  [get('/api/auth/me', { authorization: ['Bearer a', 'Bearer b'] }), INVALID],
  [post('/api/auth/login', 'x'.repeat(1_100_000)), TOO_LARGE],
  ...targets(`
    / /index.html /webhooks/wh_1?status=retrying /connect/acme/mailbox/callback?code=c`).map(
    (target) => [get(target, BROWSER), PAGE] as const,
  ),
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
  ...['/docs.md', '/docs/errors.md'].map(
    (target) => [get(target, BROWSER), file('text/markdown; charset=utf-8', 'no-cache')] as const,
  ),
  [get('/llms.txt'), file('text/plain; charset=utf-8', 'no-cache')],
  [get('/docs/'), { status: 308, headers: { location: '/docs' } }],
];

const FOR_EVER = 'public, max-age=31536000, immutable';
const COOKIES =
  'The headers of the request are too long: the server takes 32 KiB in one and 64 KiB in all. A browser sends too many cookies, also those of the parent domain: delete the cookies of this site and of that domain, then load the page again.';
const HEADERS_TOO_LARGE = problem(431, 'headers_too_large', 'Headers too large', COOKIES);
const ADDRESS_TOO_LONG = problem(
  414,
  'address_too_long',
  'Address too long',
  'The address of the request is too long: the server takes 32 KiB.',
);
const LONG = 'x'.repeat(33_000);
/** Requests with a head that no gateway takes. */
export const TOO_LONG: readonly (readonly [what: string, Request, Expected])[] = [
  ['too many cookies', get('/api/webhooks', { cookie: LONG }), HEADERS_TOO_LARGE],
  [
    'too many cookies of a browser',
    get('/', { ...BROWSER, cookie: LONG }),
    {
      status: 431,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      body: COOKIES,
    },
  ],
  ['a token that is too long', get('/api/auth/me', { authorization: LONG }), HEADERS_TOO_LARGE],
  [
    'headers that are too long together',
    get('/api/auth/me', { a: LONG.slice(1_000), b: LONG.slice(1_000), c: LONG.slice(1_000) }),
    HEADERS_TOO_LARGE,
  ],
  ['an address that is too long', get(`/api/auth/me?x=${LONG}`, BROWSER), ADDRESS_TOO_LONG],
];

/** Requests that services take with If-Match. */
export const TAKING_IF_MATCH = [
  ['PATCH', '/api/webhooks/wh_1'],
  ['DELETE', '/api/webhooks/wh_1'],
  ['POST', '/api/webhooks/wh_1/rotate-secret'],
  ['DELETE', '/api/integrations/acme/mailbox'],
] as const;
/** Conditions that are no If-Match. */
export const OTHER_CONDITIONS = {
  'if-none-match': '*',
  'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT',
  'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT',
  range: 'bytes=9-',
};

/** Files that the build leaves with compressed twins. */
export const PACKED: readonly (readonly [target: string, name: string, answer: Expected])[] = [
  ['/', 'index.html', PAGE],
  ['/webhooks/wh_1', 'index.html', PAGE],
  ['/portal/webhooks', 'portal.html', PORTAL_PAGE],
  ['/assets/app-1.js', 'assets/app-1.js', file('text/javascript; charset=utf-8', FOR_EVER)],
  ['/assets/app-1.css', 'assets/app-1.css', file('text/css; charset=utf-8', FOR_EVER)],
  ['/docs/errors', 'docs/errors.html', file('text/html; charset=utf-8', 'no-cache')],
  ['/docs/errors.md', 'docs/errors.md', file('text/markdown; charset=utf-8', 'no-cache')],
  ['/llms.txt', 'llms.txt', file('text/plain; charset=utf-8', 'no-cache')],
  ['/openapi.json', 'openapi.json', file('application/json', 'no-cache')],
  ['/assets/logo-1.svg', 'assets/logo-1.svg', file('image/svg+xml', FOR_EVER)],
];

/** Encodings, each with what a client accepts that gets it. */
export const ENCODINGS = [
  ['br', 'gzip, deflate, br'],
  ['br', 'identity, BR ; q=0.5'],
  ['gzip', 'deflate, GZIP;q=0.5'],
  ['gzip', 'br;q=0.0, gzip'],
] as const;

/** Statuses of a service that pass through untouched, also those for which a gateway has a problem of its own. */
export const STATUSES = [200, 204, 302, 400, 401, 404, 405, 409, 413, 429, 500, 502, 503, 504];

/** Headers of a request that reach the service. */
export const PASSED = {
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

/** Headers of a request that reach nothing. */
export const REFUSED = {
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
