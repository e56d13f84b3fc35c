import { backoffMs, REFRESH_BACKOFF, REJECTED_BACKOFF } from '../../domain/backoff.js';
import type { ProviderError } from '../provider-error.js';
import type { Lease } from './ports.js';
import type { RefreshFailure } from './save-refresh.js';

/**
 * Longest time for which the grant may be unclear: longer than a weekend, over which a server may stand still behind a
 * proxy that answers.
 */
const UNCLEAR_MAX_MS = 3 * 86_400_000;

/** Codes of answers of a provider that did nothing: it wants to be asked later. */
const NOTHING_DONE = new Set([
  'http_425',
  'http_429',
  'temporarily_unavailable',
  'slow_down',
  'refresh_under_way',
]);

/**
 * Returns what a failed refresh means for its connection. The connection ends when the grant is refused; and, with the
 * reason `given_up`, when the provider has left open for three days whether the grant stands, and the access token has
 * ended.
 */
export function whatFailureMeans(
  error: ProviderError,
  lease: Lease,
  now: Date,
  chance: number,
): RefreshFailure {
  const { failure, retryAfterMs } = error;
  const unclear = isUnclear(error);
  const isGivenUp = unclear && hasBeenUnclearForLong(lease, now);
  const policy = failure === 'rejected' ? REJECTED_BACKOFF : REFRESH_BACKOFF;
  return {
    reason: isGivenUp ? 'given_up' : reasonUnder(lease, error),
    final: isGivenUp || failure === 'refused',
    backoffMs: backoffMs(policy, lease.failures + 1, chance, retryAfterMs),
    answerLost: mayHaveLostToken(error),
    unclear,
  };
}

/**
 * Tells whether the provider answered, and left open whether the grant still stands. A provider that is not there, is
 * busy or does not accept our client says nothing about one grant.
 */
const isUnclear = ({ failure, reason, httpStatus }: ProviderError): boolean =>
  failure === 'rejected' ||
  (failure === 'unavailable' && httpStatus !== undefined && !NOTHING_DONE.has(reason));

const hasBeenUnclearForLong = ({ unclearSince, expiresAt }: Lease, now: Date): boolean =>
  unclearSince !== undefined &&
  now.getTime() - unclearSince.getTime() >= UNCLEAR_MAX_MS &&
  expiresAt <= now;

/**
 * Returns the reason of a failure. A token that is refused after an answer was lost was most likely replaced in that
 * answer, and not revoked.
 */
const reasonUnder = ({ answerLost }: Lease, { reason }: ProviderError): string =>
  answerLost && reason === 'invalid_grant' ? 'refresh_token_lost' : reason;

/**
 * Tells whether a new refresh token may be lost: no answer came, or an answer without a token, of a server that failed
 * or of a proxy on the way. The provider may or may not have made a new refresh token. Only trying the old token shows
 * which, and the try may cost the grant: with rotation a provider takes the old token for stolen (RFC 9700, section
 * 4.14.2), while a provider that made no new token accepts the old one at any time. So nothing is gained by haste while
 * the access token is good: it serves on, and the old refresh token is tried shortly before its end (`DueRefreshes`,
 * `serveOrRefresh`), or at once when this access token was refused. Some providers leave the old token good for some
 * seconds, in which a try would be better, but no provider says so (RFC 8414 has no word for it).
 */
function mayHaveLostToken(error: ProviderError): boolean {
  const { sent, failure, reason, httpStatus = 0, recovered } = error;
  const isRedirect = failure === 'rejected' && httpStatus >= 300 && httpStatus < 400;
  return (
    sent &&
    (failure === 'unavailable' || isRedirect) &&
    !NOTHING_DONE.has(reason) &&
    recovered.refreshToken === undefined
  );
}
