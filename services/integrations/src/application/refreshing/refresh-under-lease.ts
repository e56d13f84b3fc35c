import { AppError } from '@junction/errors';
import type { ClientName } from '../../domain/connection/events.js';
import type { OAuthProvider, Tokens } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { ProviderError } from '../provider-error.js';
import type { Configured } from '../provider-of.js';
import { providerUnavailable } from '../provider-refusal.js';
import { revokeUnused } from '../revoke-unused.js';
import type { Late, Lease } from './ports.js';
import {
  keepRefreshToken,
  type RecordFailure,
  type RefreshFailure,
  saveRefresh,
} from './save-refresh.js';
import { whatFailureMeans } from './what-failure-means.js';

/** Ports of refreshing, with the recorder that all refreshes share. */
export interface RefreshPorts extends Ports {
  readonly recordFailure: RecordFailure;
}

/**
 * Refreshes with the lease in hand, and saves or records the result. AppError `provider_unavailable`,
 * `refresh_in_progress`, `stopping`, `token_not_renewable`.
 */
export async function refreshUnder(
  ports: RefreshPorts,
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
    .refresh(asked.refreshToken, { connectionId: lease.connectionId, beforeSending })
    .then((tokens) => requireSameAccount(tokens, lease))
    .catch(async (error: unknown) => failed(ports, lease, to, error));
  // Saving must follow the answer at once: the provider has forgotten the old refresh token.
  if (tokens) await keep(ports, asked, tokens, to);
}

/**
 * Refuses tokens of another account: they are not this connection's, whoever mixed them up (OpenID Connect Core 1.0,
 * section 12.2).
 */
function requireSameAccount(tokens: Tokens, { accountId }: Lease): Tokens {
  if (tokens.accountId === undefined || tokens.accountId === accountId) return tokens;
  throw new ProviderError({ failure: 'refused', reason: 'foreign_id_token', sent: true });
}

async function keep(ports: Ports, lease: Lease, tokens: Tokens, asked: Configured): Promise<void> {
  const outcome = await saveRefresh(ports, lease, tokens);
  ports.refreshEnded(asked.client, outcome === 'saved' ? 'refreshed' : 'late');
  if (mayRevoke(outcome, asked.oauth)) await revokeUnused(ports, lease, tokens);
}

/**
 * Tells whether tokens that are not kept may be revoked: not when newer tokens of the same grant could go along, which
 * at some providers is all that the account has granted.
 */
function mayRevoke(
  outcome: Late | 'saved' | 'kept',
  { separateGrants }: Pick<OAuthProvider, 'separateGrants'>,
): boolean {
  if (outcome === 'reconnected') return separateGrants;
  return outcome === 'ended';
}

/** Handles a failed refresh. Returns nothing when the connection is over; otherwise throws the caller's error. */
async function failed(
  ports: RefreshPorts,
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
  const { failure, recovered, reason, retryAfterMs } = error;
  const learned = whatFailureMeans(error, lease, ports.now(), chance());
  ports.refreshEnded(client, failure);
  if (recovered.refreshToken !== undefined) {
    const outcome = await keepRefreshToken(ports, lease, recovered.refreshToken);
    if (mayRevoke(outcome, asked.oauth)) return revokeUnused(ports, lease, recovered);
  }

  const { final } = learned;
  const fields = { client, connection_id: lease.connectionId, reason: learned.reason };
  // The refusal of our client is logged by the provider, once for all connections.
  if (failure !== 'misconfigured') {
    log.warn(fields, final ? 'refresh refused: the user must connect again' : 'refresh failed');
  }

  // With an open circuit nothing was sent, so nothing was learned about this connection.
  if (reason === 'circuit_open') await leases.release(lease, retryAfterMs ?? 0);
  else await ports.recordFailure(lease, learned);
  if (final) return;
  throw providerUnavailable(error, 'Ask again in a moment.');
}

/**
 * Handles a connection whose provider gave no refresh token: its access token serves while it lives, and then the
 * connection ends.
 */
async function endUnrenewable(ports: RefreshPorts, lease: Lease): Promise<void> {
  if (lease.expiresAt <= ports.now()) {
    return ports.recordFailure(lease, finalFailure('no_refresh_token'));
  }
  await ports.leases.release(lease, 0);
  throw new AppError(
    'token_not_renewable',
    'This token cannot be renewed and ends before the requested time. Ask for a shorter min_lifetime_s.',
  );
}

/** Ends a connection whose refresh token cannot be read: only a new consent brings another refresh token. */
export async function endUnreadable(
  ports: RefreshPorts,
  lease: Lease,
  client: ClientName,
): Promise<void> {
  const fields = { client, connection_id: lease.connectionId };
  ports.log.error(fields, 'the stored refresh token does not open: the user must connect again');
  await ports.recordFailure(lease, finalFailure('refresh_token_unreadable'));
}

const finalFailure = (reason: string): RefreshFailure => ({
  reason,
  final: true,
  backoffMs: 0,
  answerLost: false,
  unclear: false,
});

/** Returns the error for a refresh that another replica is doing, or whose lease this replica has slept through. */
export const stillBusy = (): AppError =>
  new AppError(
    'refresh_in_progress',
    'The token is being refreshed and the provider takes its time. Ask again in a moment.',
    { retryAfterS: 1 },
  );
