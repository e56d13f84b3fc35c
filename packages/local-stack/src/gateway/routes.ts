export type Upstream = 'auth' | 'integrations' | 'webhooks';

/** infra/gateway/nginx.conf has the same routes; the gateway cases hold both to them. */
const ROUTES: ReadonlyMap<string, Upstream> = new Map([
  ['/api/auth', 'auth'],
  ['/oauth/token', 'auth'],
  ['/.well-known/webhook-keys.json', 'webhooks'],
  ['/.well-known', 'auth'],
  ['/api/integrations', 'integrations'],
  ['/api/webhooks', 'webhooks'],
  ['/api/events', 'webhooks'],
  ['/api/deliveries', 'webhooks'],
  ['/api/portal-links', 'auth'],
  ['/api/ops/auth', 'auth'],
  ['/api/ops/integrations', 'integrations'],
  ['/api/ops/webhook-dispatcher', 'webhooks'],
]);

const PASSED_HEADERS = new Set([
  'accept',
  'accept-language',
  'authorization',
  'content-encoding',
  'content-type',
  'cookie',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'origin',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent',
  'x-junction-csrf',
]);

/** RFC 9110 and 9112: about the connection and the length of this message, not about the caller. */
const FRAMING = new Set(['connection', 'content-length', 'expect', 'host', 'transfer-encoding']);

export const isBelow = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

/** Which service answers a path. Prefixes end at a segment: /api/auth is not /api/authors. */
export function upstreamOf(path: string): Upstream | undefined {
  for (const [prefix, upstream] of ROUTES) if (isBelow(path, prefix)) return upstream;
  return undefined;
}

/**
 * Whether a request header, named in lower case, reaches the services. Unlisted headers do not:
 * a service would believe a header about who the caller is, and nobody can list all of those.
 */
export const isPassed = (header: string): boolean =>
  PASSED_HEADERS.has(header) || FRAMING.has(header);

/**
 * A path that two readers could take for different ones: an encoded slash, backslash or NUL, a
 * backslash, a percent sign that encodes nothing. No route of ours has any.
 */
export const isAmbiguous = (target: string): boolean =>
  /^[^?]*(?:\\|%(?:00|2f|5c|(?![\da-f]{2})))/i.test(target);
