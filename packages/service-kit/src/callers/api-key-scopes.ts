import { API_KEY_FULL_SCOPE, type ApiKeyScope } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { Caller } from '../servers/http/caller.js';

const GROUPS = [
  ['/api/integrations', 'integrations'],
  ['/api/webhooks', 'webhooks'],
  ['/api/events', 'webhooks'],
  ['/api/deliveries', 'webhooks'],
] as const;

/** Read with a scope, and changed in a session alone. */
const ACCOUNT = '/api/auth';

const READING = ['GET', 'HEAD'];

/** Begins a connection, though it is asked for by GET. */
const AUTHORIZE = /^\/api\/integrations\/[^/]+\/authorize\/?$/;

/** What an API key or a portal needs for a request; undefined: neither may make it. `path` is without the query. */
export function scopeFor(method: string, path: string): ApiKeyScope | undefined {
  const reads = READING.includes(method) && !AUTHORIZE.test(path);
  if (isWithin(ACCOUNT, path)) return reads ? 'account:read' : undefined;
  const group = GROUPS.find(([prefix]) => isWithin(prefix, path));
  return group && `${group[1]}:${reads ? 'read' : 'write'}`;
}

const isWithin = (prefix: string, path: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

/**
 * AppError `insufficient_scope` (RFC 6750, section 3.1) unless the scopes of a key or a portal allow this;
 * `session_required` where none could.
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
