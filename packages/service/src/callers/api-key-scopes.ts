import { API_KEY_FULL_SCOPE, type ApiKeyScope } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { Caller } from '../http/caller.js';

const GROUPS = [
  ['/api/integrations', 'integrations'],
  ['/api/webhooks', 'webhooks'],
  ['/api/events', 'webhooks'],
  ['/api/deliveries', 'webhooks'],
] as const;

/** Paths that a scope may read and only a session may change. */
const ACCOUNT = '/api/auth';

const READING = ['GET', 'HEAD'];

/** Path that starts a connection, although its method is GET. */
const AUTHORIZE = /^\/api\/integrations\/[^/]+\/authorize\/?$/;

/**
 * Returns the scope that an API key or a portal needs for a request; undefined when neither may make the request.
 * `path` is without the query.
 */
export function scopeFor(method: string, path: string): ApiKeyScope | undefined {
  const reads = READING.includes(method) && !AUTHORIZE.test(path);
  if (isWithin(ACCOUNT, path)) return reads ? 'account:read' : undefined;
  const group = GROUPS.find(([prefix]) => isWithin(prefix, path));
  return group && `${group[1]}:${reads ? 'read' : 'write'}`;
}

const isWithin = (prefix: string, path: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

/**
 * Refuses a request that the scopes of a key or a portal do not allow: AppError `insufficient_scope` (RFC 6750, section
 * 3.1), or `session_required` when no scope could allow it.
 */
export function demandScope(
  { via, scopes }: Pick<Caller, 'via' | 'scopes'>,
  method: string,
  path: string,
): void {
  const scope = scopeFor(method, path);
  if (scope !== undefined && (scopes.includes(scope) || scopes.includes(API_KEY_FULL_SCOPE)))
    return;
  const name = via === 'portal' ? 'portal' : 'API key';
  if (scope !== undefined) {
    throw new AppError('insufficient_scope', `The ${name} lacks ${scope}.`, { scope });
  }
  throw isWithin(ACCOUNT, path)
    ? new AppError('session_required', `No ${name} may do this. Log in and use the access token.`)
    : new AppError('insufficient_scope', `No ${name} may do this.`);
}
