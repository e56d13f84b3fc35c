import { API_KEY_FULL_SCOPE, type ApiKeyScope } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { Caller } from '../servers/http/caller.js';

const GROUPS = [
  ['/api/integrations', 'integrations'],
  ['/api/webhooks', 'webhooks'],
  ['/api/events', 'webhooks'],
  ['/api/deliveries', 'webhooks'],
  ['/api/auth', 'account'],
] as const;

const READING = ['GET', 'HEAD'];

/** Begins a connection, though it is asked for by GET. */
const AUTHORIZE = /^\/api\/integrations\/[^/]+\/authorize\/?$/;

/** What an API key or a portal needs for a request; undefined: neither may make it. `path` is without the query. */
export function scopeFor(method: string, path: string): ApiKeyScope | undefined {
  const group = GROUPS.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  if (group === undefined) return undefined;
  const reads = READING.includes(method) && !AUTHORIZE.test(path);
  return `${group[1]}:${reads ? 'read' : 'write'}`;
}

/** AppError `insufficient_scope` (RFC 6750, section 3.1) unless the scopes of a key or a portal allow this. */
export function demandScope(
  { via, scopes }: Pick<Caller, 'via' | 'scopes'>,
  method: string,
  path: string,
): void {
  const scope = scopeFor(method, path);
  if (scope !== undefined && (scopes.includes(scope) || scopes.includes(API_KEY_FULL_SCOPE)))
    return;
  const name = via === 'portal' ? 'portal' : 'API key';
  const lack = scope === undefined ? `No ${name} may do this.` : `The ${name} lacks ${scope}.`;
  throw new AppError('insufficient_scope', lack, scope === undefined ? {} : { scope });
}
