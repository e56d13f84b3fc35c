import { AppError } from '@junction/errors';
import { isLive } from './connection/events.js';
import { LAST_TRY_MS, marginMs } from './refresh-ahead.js';

/** Token as it is when a caller asks for it. */
export interface CurrentToken {
  readonly status: string;
  readonly grantedScopes: readonly string[];
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** Whether the token came from a refresh: then its lifetime is what a refresh gives. */
  readonly isRefreshed: boolean;
  /** Whether a refresh was sent and not answered: trying again too early may cost the grant. */
  readonly answerLost: boolean;
}

export interface TokenNeed {
  /** Scopes in our names; the token must carry all of them. */
  readonly scopes: readonly string[];
  readonly minLifetimeMs: number;
  /** Time at which the request came in. */
  readonly askedAt: Date;
}

/**
 * Decides whether a token is served, or refreshed first. A caller who wants a longer lifetime than a refresh gives, by
 * the last refresh, gets a token until it is old enough to be refreshed ahead of expiry: the next token would fall
 * short too. A token that was refreshed after the request came in is served in any case. When the answer to a refresh
 * was lost, the present token serves until shortly before its end, and nothing is refreshed before. AppError
 * `disconnected`, `revoked`, `reconnect_required`, `missing_scope`, `provider_unavailable`.
 */
export function serveOrRefresh(
  token: CurrentToken,
  { scopes, minLifetimeMs, askedAt }: TokenNeed,
  now: Date,
): 'serve' | 'refresh' {
  refuseEnded(token.status);
  const missing = scopes.filter((scope) => !token.grantedScopes.includes(scope));
  if (missing.length > 0) throw missingScope(missing);

  const restMs = token.expiresAt.getTime() - now.getTime();
  if (restMs <= 0) return 'refresh';
  const lifetimeMs = token.expiresAt.getTime() - token.issuedAt.getTime();
  const isTooMuch = token.isRefreshed && minLifetimeMs >= lifetimeMs;
  const wantedMs = isTooMuch ? lifetimeMs - marginMs(lifetimeMs) : minLifetimeMs;
  if (restMs >= wantedMs || token.issuedAt >= askedAt) return 'serve';
  if (token.answerLost && restMs > LAST_TRY_MS) throw answerLost(restMs - LAST_TRY_MS);
  return 'refresh';
}

/** Refuses a status in which a connection's tokens may not be handed out, with AppError. */
export function refuseEnded(status: string): void {
  if (isLive(status)) return;
  if (status === 'reconnect_required') throw reconnectRequired();
  if (status === 'revoked') throw revoked();
  throw new AppError('disconnected', 'The user has ended this connection.');
}

const reconnectRequired = (): AppError =>
  new AppError(
    'reconnect_required',
    'The provider gives no more tokens for this connection until the user connects again.',
  );

const revoked = (): AppError =>
  new AppError(
    'revoked',
    'Access was revoked at the provider. There are no more tokens until the user connects again.',
  );

const answerLost = (untilMs: number): AppError =>
  new AppError(
    'provider_unavailable',
    'The answer of the provider to the last refresh was lost, and another one now could end the grant. Ask with a shorter min_lifetime_s: the token serves until it ends.',
    { retryAfterS: untilMs / 1_000 },
  );

const missingScope = (missing: readonly string[]): AppError =>
  new AppError(
    'missing_scope',
    `The user has not granted ${missing.join(', ')}. Ask for less, or let the user connect again.`,
    { fields: missing.map((scope) => ({ field: 'scopes', code: 'not_granted', message: scope })) },
  );
