import type { ProblemCode } from '@junction/errors';
import { recentFactor, recentSignIn, verifiedEmail } from '@junction/service/callers';
import type { Route } from '@junction/service/http';

/** Gate that a request passes before its route, as far as the document describes gates. */
export type Gate =
  | 'json'
  | 'user'
  | 'perhaps_user'
  | 'operator'
  | 'idempotent'
  | 'service'
  /** A service account of operators, on the port of the service itself. */
  | 'tool';

/** A heading of the document. */
export type Tag =
  | 'accounts'
  | 'integrations'
  | 'webhooks'
  | 'events'
  | 'portals'
  | 'tokens'
  | 'operations';

/** A route, and what its service lets requests pass before it. */
export interface Described {
  readonly route: Route;
  readonly gates: ReadonlySet<Gate>;
  /** The route is mounted at the port of the service itself alone. */
  readonly isInternal?: boolean;
  /** Scope that a service's token needs for this route. */
  readonly serviceScope?: string | undefined;
  readonly tag: Tag;
}

const JSON_PROBLEMS: readonly ProblemCode[] = [
  'malformed_body',
  'incomplete_body',
  'unreadable_body',
  'nested_too_deep',
  'body_too_large',
  'unsupported_media_type',
];
const USER_PROBLEMS: readonly ProblemCode[] = [
  'unauthenticated',
  'invalid_token',
  'ambiguous_cookie',
  'csrf_check_failed',
  'insufficient_scope',
  'account_deleted',
  'too_many_requests',
  'authentication_unavailable',
  'keys_unavailable',
];
const SERVICE_PROBLEMS: readonly ProblemCode[] = [
  'service_token_refused',
  'scope_missing',
  'keys_unavailable',
];
/** Whatever is asked for; the gateway's own are among them. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'unstorable_text',
  'invalid_request',
  'too_busy',
  'internal',
  'service_unavailable',
  'starting',
  'stopping',
  'upstream_unavailable',
  'deadline_exceeded',
];

/** Returns the problems that a request of a route can be answered with; a path has `{name}` for what it takes. */
export function problemsOf(described: Described, path: string): ReadonlySet<ProblemCode> {
  const { route, gates } = described;
  const takesJson = gates.has('json') && route.method !== 'get';
  return new Set<ProblemCode>([
    ...(path.includes('{') ? (['malformed_path'] as const) : []),
    ...(path.includes('{service}') ? (['no_such_route'] as const) : []),
    ...(takesJson || route.bodyType !== undefined ? JSON_PROBLEMS : []),
    ...(gates.has('user') || gates.has('perhaps_user') ? USER_PROBLEMS : []),
    ...(gates.has('operator') ? (['operator_required', 'second_factor_needed'] as const) : []),
    ...(gates.has('service') || gates.has('tool') ? SERVICE_PROBLEMS : []),
    ...('x-recent-proof' in recencyOf(described)
      ? (['insufficient_user_authentication'] as const)
      : []),
    ...(route.through?.includes(verifiedEmail) ? (['email_unverified'] as const) : []),
    ...(route.takesIfMatch ? (['invalid_if_match', 'precondition_failed'] as const) : []),
    ...(route.method === 'post' && gates.has('idempotent')
      ? (['invalid_idempotency_key', 'idempotency_key_reused', 'idempotency_in_progress'] as const)
      : []),
    ...(route.problems ?? []),
    ...COMMON_PROBLEMS,
  ]);
}

/** Returns the proof that a caller must have shown lately, as the document says it; see docs/changes.md. */
export function recencyOf({ route, gates }: Described): { 'x-recent-proof'?: string } {
  const { method, through = [] } = route;
  if (through.includes(recentSignIn)) return { 'x-recent-proof': 'sign_in' };
  const wantsFactor = through.includes(recentFactor) || (gates.has('operator') && method !== 'get');
  return wantsFactor ? { 'x-recent-proof': 'second_factor' } : {};
}
