import { nameOf, type Operation } from './operations.js';

/** The credential of a caller, as far as operations distinguish credentials. */
export type Shown =
  | { readonly kind: 'nothing' }
  /** A credential that no longer counts, or never did. */
  | { readonly kind: 'void' }
  | { readonly kind: 'session'; readonly isOperator?: boolean; readonly hasFactor?: boolean }
  | { readonly kind: 'api key' | 'portal'; readonly scopes: readonly string[] }
  | { readonly kind: 'service'; readonly scopes: readonly string[] };

/** The page from which a browser calls, with its cookies: our own, or one of another origin. */
export type Page = 'own' | 'foreign';

/** Let in: whatever the operation itself answers then. */
export type Verdict = 'let in' | { readonly status: number; readonly code: string };

/** The condition that an operation sets for its callers, as the document states it. */
export type Demand =
  | { readonly kind: 'nothing' | 'own page' }
  | { readonly kind: 'service'; readonly scope: string }
  | { readonly kind: 'user' | 'operator'; readonly operation: Operation }
  | { readonly kind: 'undeclared'; readonly todo: string };

/** An operation with one of these problems is open to everybody, because its body is the proof. */
const PROVED_BY_BODY = [
  'invalid_credentials',
  'invalid_or_used_token',
  'invalid_refresh_token',
  'invalid_second_factor',
  'portal_token_invalid',
];

/** Open to everybody without a proof that the document tells of, each for its reason. */
export const OPEN: Readonly<Record<string, string>> = {
  getKeys: 'Public keys are for everybody.',
  getAuthorizationServerMetadata: 'Clients find the token endpoint before they have a token.',
  getWebhookKeys: 'Public keys are for everybody.',
  listEventTypes: 'The catalogue is documentation.',
  listSignInIssuers: 'A page of sign-in shows them before there is a user.',
  beginSignInAtIssuer: 'A sign-in begins without a user.',
  askIssuerAgain: 'The cookie of the session is the proof, and a failure is told by a redirect.',
  finishSignInAtIssuer: 'The code of the issuer is the proof, and a failure is told by a redirect.',
  register: 'An account begins without a user.',
  forgotPassword: 'The mail reaches the owner of the address alone, and the answer tells nothing.',
  getPasskeyChallenge: 'A sign-in by a passkey begins without a user.',
  openUnsubscribePage:
    'The url of a mail changes nothing when it is read: it leads to a page that asks.',
  getDeletionReceipt: 'The id of the receipt is the proof, and its user is gone.',
  issueServiceToken:
    'The proof of the client is in the request, and its refusal is that of RFC 6749.',
  getReturnTo: 'The state of the authorization is the proof.',
  receiveSecurityEvent: 'The signature of the provider is the proof.',
};

/** Problems that tell a caller to be another one. */
const GATES = new Set([
  'unauthenticated',
  'invalid_token',
  'account_deleted',
  'ambiguous_cookie',
  'csrf_check_failed',
  'insufficient_scope',
  'session_required',
  'operator_required',
  'second_factor_needed',
  'insufficient_user_authentication',
  'service_token_refused',
  'scope_missing',
]);

export function demandOf(operation: Operation): Demand {
  const { id, security, codes, apiKeyScope } = operation;
  const [service] = security.flatMap(({ service: scopes }) => scopes ?? []);
  if (service !== undefined) return { kind: 'service', scope: service };
  if (security.some((scheme) => 'bearer' in scheme)) {
    if (apiKeyScope === undefined) return undeclared(operation, 'say x-api-key-scope, or null');
    return { kind: codes.has('operator_required') ? 'operator' : 'user', operation };
  }
  if (security.length > 0) {
    return undeclared(operation, 'name the scope of its service token, or give its scheme a rule');
  }
  if (codes.has('csrf_check_failed')) return { kind: 'own page' };
  if (id in OPEN || PROVED_BY_BODY.some((code) => codes.has(code))) return { kind: 'nothing' };
  return undeclared(
    operation,
    'mount it behind `known`, `forUsers`, `forOperators` or `forServices`, or if it is for everybody, name the problem of ' +
      'its proof in `problems` or its reason in OPEN (expectations.ts)',
  );
}

const undeclared = (operation: Operation, todo: string): Demand => ({
  kind: 'undeclared',
  todo: `${nameOf(operation)} does not say who may call it: ${todo}.`,
});

/** Returns what an operation answers to a caller with this credential, whose browser calls from this page. */
export function verdictOf(demand: Demand, shown: Shown, page: Page | undefined): Verdict {
  switch (demand.kind) {
    case 'undeclared':
    case 'nothing':
      return 'let in';
    case 'own page':
      return page === 'own' ? 'let in' : refused(403, 'csrf_check_failed');
    case 'service':
      if (shown.kind !== 'service') return refused(401, 'service_token_refused');
      return shown.scopes.includes(demand.scope) ? 'let in' : refused(403, 'scope_missing');
    case 'user':
    case 'operator': {
      const { method } = demand.operation;
      if (page === 'foreign' && method !== 'GET') return refused(403, 'csrf_check_failed');
      return ofUser(demand.operation, shown, demand.kind === 'operator');
    }
  }
}

function ofUser(
  { codes, apiKeyScope, security }: Operation,
  shown: Shown,
  isForOperators: boolean,
): Verdict {
  switch (shown.kind) {
    case 'nothing': {
      const isOptional = security.some((scheme) => Object.keys(scheme).length === 0);
      return isOptional ? 'let in' : refused(401, 'unauthenticated');
    }
    case 'void':
    case 'service':
      return refused(401, 'invalid_token');
    case 'api key':
    case 'portal': {
      const { scopes } = shown;
      const isAllowed = scopes.some((scope) => scope === apiKeyScope || scope === FULL_SCOPE);
      const isForSessions = codes.has('session_required');
      // When no scope opens what a session may do, the answer names no missing scope.
      if (isForSessions && (!apiKeyScope || isAllowed)) return refused(403, 'session_required');
      return apiKeyScope && isAllowed ? 'let in' : refused(403, 'insufficient_scope');
    }
    case 'session': {
      if (isForOperators && !shown.isOperator) return refused(403, 'operator_required');
      const isFactorNeeded = isForOperators || codes.has('second_factor_needed');
      return isFactorNeeded && !shown.hasFactor ? refused(403, 'second_factor_needed') : 'let in';
    }
  }
}

/** Scope of an API key without limits. */
export const FULL_SCOPE = 'api';

const refused = (status: number, code: string): Verdict => ({ status, code });

export interface Outcome {
  readonly status: number;
  /** Code of the answer, when the answer is a problem. */
  readonly code: string | undefined;
}

/** Describes the difference between an answer and its verdict; undefined: there is none. */
export function mistakeOf({ status, code }: Outcome, verdict: Verdict): string | undefined {
  const told = code === undefined ? String(status) : `${status} ${code}`;
  if (verdict !== 'let in') {
    if (status === verdict.status && code === verdict.code) return undefined;
    return `${told}, expected ${verdict.status} ${verdict.code}`;
  }
  const isOfUs = status >= 500 || status === 429 || GATES.has(code ?? '');
  return isOfUs ? `${told}, expected to be let in` : undefined;
}
