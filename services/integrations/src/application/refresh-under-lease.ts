import { AppError } from '@junction/errors';
import { backoffMs, REFRESH_BACKOFF } from '../domain/backoff.js';
import type { ClientName } from '../domain/connection/events.js';
import type { Late, Lease, Ports, Tokens } from './ports.js';
import { ProviderError } from './provider-error.js';
import type { Configured } from './provider-of.js';
import { providerUnavailable } from './provider-refusal.js';
import { revokeUnused } from './revoke-unused.js';
import {
  keepRefreshToken,
  type RefreshFailure,
  recordRefreshFailure,
  saveRefresh,
} from './save-refresh.js';

/**
 * Refreshes with the lease in hand, and saves or records what comes of it. AppError `provider_unavailable`,
 * `refresh_in_progress`, `stopping`, `token_not_renewable`.
 */
export async function refreshUnder(
  ports: Ports,
  lease: Lease,
  to: Configured,
  refuseWhenStopping: () => void,
): Promise<void> {
  if (lease.refreshToken === undefined) return endUnrenewable(ports, lease);

  const asked = { ...lease, refreshToken: lease.refreshToken };
  // A process that slept through its lease must not bring an old token to the provider, which may
  // take it for stolen and end the whole grant.
  const beforeSending = () => {
    refuseWhenStopping();
    if (ports.monotonicMs() > lease.sendUntilMs) throw stillBusy();
  };
  const tokens = await to.oauth
    .refresh(asked.refreshToken, beforeSending)
    .then((tokens) => requireSameAccount(tokens, lease))
    .catch(async (error: unknown) => failed(ports, lease, to, error));
  // Nothing may come between the answer and this: the provider has forgotten the old refresh token.
  if (tokens) await keep(ports, asked, tokens, to);
}

/** Tokens of another account are not this connection's, whoever mixed them up (OpenID Connect Core 1.0, section 12.2). */
function requireSameAccount(tokens: Tokens, { accountId }: Lease): Tokens {
  if (tokens.accountId === undefined || tokens.accountId === accountId) return tokens;
  throw new ProviderError({ failure: 'refused', reason: 'foreign_id_token', sent: true });
}

async function keep(ports: Ports, lease: Lease, tokens: Tokens, asked: Configured): Promise<void> {
  const outcome = await saveRefresh(ports, lease, tokens);
  ports.refreshEnded(asked.client, outcome === 'saved' ? 'refreshed' : 'late');
  if (mayRevoke(outcome, asked)) await revokeUnused(ports, lease, tokens);
}

/**
 * Whether tokens that nobody keeps may be revoked: not when newer ones of the same grant could go along,
 * which at some providers is all that the account has granted.
 */
function mayRevoke(outcome: Late | 'saved' | 'kept', { oauth }: Configured): boolean {
  if (outcome === 'reconnected') return oauth.separateGrants;
  return outcome === 'ended';
}

/** Gives nothing when the connection is over; otherwise throws what the caller is to hear. */
async function failed(
  ports: Ports,
  lease: Lease,
  asked: Configured,
  error: unknown,
): Promise<void> {
  const { client } = asked;
  const { leases, log, chance } = ports;
  if (!(error instanceof ProviderError)) {
    await leases.release(lease, 0);
    throw error;
  }
  const { failure, recovered, retryAfterMs } = error;
  const reason = reasonUnder(lease, error);
  ports.refreshEnded(client, failure);
  if (recovered.refreshToken !== undefined) {
    const outcome = await keepRefreshToken(ports, lease, recovered.refreshToken);
    if (mayRevoke(outcome, asked)) return revokeUnused(ports, lease, recovered);
  }

  const final = isFinal(error);
  const backoff = backoffMs(REFRESH_BACKOFF, lease.failures + 1, chance(), retryAfterMs);
  const fields = { client, connection_id: lease.connectionId, reason };
  if (failure === 'misconfigured')
    log.error(fields, 'the provider and our settings for it do not fit');
  else log.warn(fields, final ? 'refresh refused: the user must connect again' : 'refresh failed');

  // Nobody was asked, so nothing was learned about this connection.
  if (reason === 'circuit_open') await leases.release(lease, retryAfterMs ?? 0);
  else {
    const answerLost = mayHaveLostToken(error);
    const recorded = { reason, final, backoffMs: backoff, answerLost };
    await recordRefreshFailure(ports, lease, recorded);
  }
  if (final) return;
  throw providerUnavailable(error, 'Ask again in a moment.');
}

/** A refresh asks for no scopes, so there is nothing to leave out of another one (RFC 6749, section 5.2). */
const isFinal = ({ failure, reason }: ProviderError): boolean =>
  failure === 'refused' || reason === 'invalid_scope';

/** Answers of a provider that did nothing: it asks to be asked later. */
const NOTHING_DONE = new Set(['http_425', 'http_429', 'temporarily_unavailable', 'slow_down']);

/**
 * No answer came, or one that says nothing: of a server that failed, of somebody on the way, or without a token in it.
 * The provider may have made a new refresh token, which nobody has. Which of the two happened can't be
 * known without trying, and the try may cost the grant: with rotation a provider takes the old token for
 * stolen (RFC 9700, section 4.14.2), and a provider that made none takes it at any time. So nothing is gained
 * by haste while the access token is good: it serves on, and the old refresh token is tried shortly before
 * its end (`DueRefreshes`), or at once for somebody who needs more than this access token, or was refused
 * with it. A provider that leaves the old token good for some seconds would be better tried within them,
 * but none says that it does (RFC 8414 has no word for it).
 */
const mayHaveLostToken = ({ sent, failure, reason, recovered }: ProviderError): boolean =>
  sent &&
  failure === 'unavailable' &&
  !NOTHING_DONE.has(reason) &&
  recovered.refreshToken === undefined;

/** A token that is refused after an answer was lost was most likely replaced in it, and not revoked. */
const reasonUnder = ({ answerLost }: Lease, { reason }: ProviderError): string =>
  answerLost && reason === 'invalid_grant' ? 'refresh_token_lost' : reason;

/** The provider gave no refresh token: while the access token lives it serves, and then it is over. */
async function endUnrenewable(ports: Ports, lease: Lease): Promise<void> {
  if (lease.expiresAt <= ports.now()) {
    return recordRefreshFailure(ports, lease, finalFailure('no_refresh_token'));
  }
  await ports.leases.release(lease, 0);
  throw new AppError(
    'token_not_renewable',
    'This token cannot be renewed and ends before the requested time. Ask for a shorter min_lifetime_s.',
  );
}

/** Only a new consent brings a refresh token again. */
export async function endUnreadable(ports: Ports, lease: Lease, client: ClientName): Promise<void> {
  const fields = { client, connection_id: lease.connectionId };
  ports.log.error(fields, 'the stored refresh token does not open: the user must connect again');
  await recordRefreshFailure(ports, lease, finalFailure('refresh_token_unreadable'));
}

const finalFailure = (reason: string): RefreshFailure => ({
  reason,
  final: true,
  backoffMs: 0,
  answerLost: false,
});

/** Another replica refreshes, or this one has slept through its lease. */
export const stillBusy = (): AppError =>
  new AppError(
    'refresh_in_progress',
    'The token is being refreshed and the provider takes its time. Ask again in a moment.',
    { retryAfterS: 1 },
  );
