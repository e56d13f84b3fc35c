import { refreshAt } from '../../domain/refresh-ahead.js';
import { bySystem } from '../handle-command.js';
import type { Tokens } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import type { Late, Lease, StoredCredential } from './ports.js';

/** Shortest time for which saving is tried, also when the process slept and no other replica took the lease. */
const RETRY_FOR_MIN_MS = 8_000;

type SavingPorts = Pick<Ports, 'unitOfWork' | 'now' | 'monotonicMs' | 'chance'>;

/**
 * Saves the tokens of a refresh. Saving is repeated through an outage for as long as the lease allows, because the
 * tokens exist nowhere else. A newer version refuses these tokens; a lease that passed on does not.
 */
export async function saveRefresh(
  ports: SavingPorts,
  lease: Lease,
  given: Tokens,
): Promise<'saved' | Late> {
  const at = ports.now();
  return ports.unitOfWork.inUserTurn(
    lease.userId,
    async (tx) => saveIn(tx, ports, lease, given, at),
    { retryForMs: retryForMs(lease, ports.monotonicMs()) },
  );
}

/** Keeps a refresh token that came in an answer which was of no other use. Otherwise as `saveRefresh`. */
export async function keepRefreshToken(
  ports: SavingPorts,
  lease: Lease,
  refreshToken: string,
): Promise<'kept' | Late> {
  const keep = async (tx: Transaction) => {
    const current = await tx.credentials.find(lease.connectionId);
    if (current?.credentialVersion !== lease.credentialVersion) return lateBy(current, lease);
    await tx.credentials.replaceRefreshToken(lease.connectionId, refreshToken);
    return 'kept';
  };
  return ports.unitOfWork.inUserTurn(lease.userId, keep, {
    retryForMs: retryForMs(lease, ports.monotonicMs()),
  });
}

export interface RefreshFailure {
  readonly reason: string;
  /** Whether only the user can help: the connection must be renewed, and its tokens are deleted. */
  readonly final: boolean;
  readonly backoffMs: number;
  /** Whether the answer was lost, as in `Lease`. */
  readonly answerLost: boolean;
  /** Whether the answer left the grant unclear, as in `LeaseEnd`. */
  readonly unclear: boolean;
}

/**
 * Records a failed refresh, for the holder of the lease alone: after the lease has passed on, the next holder decides.
 */
export async function recordRefreshFailure(
  { unitOfWork, now }: SavingPorts,
  lease: Lease,
  { reason, final, backoffMs, answerLost, unclear }: RefreshFailure,
): Promise<void> {
  const { userId, connectionId, owner, credentialVersion } = lease;
  const data = { credentialVersion, reason, final, at: now().toISOString() };
  await unitOfWork.inUserTurn(userId, async (tx) => {
    const current = await tx.credentials.find(connectionId);
    if (current?.leaseOwner !== owner) return;
    await tx.handle(connectionId, { type: 'RecordRefreshFailure', data }, { actor: bySystem });
    if (final) await tx.credentials.delete(connectionId);
    else await tx.credentials.endLease(lease, { backoffMs, failures: 1, answerLost, unclear });
  });
}

/**
 * Returns for how long saving is repeated. Repetitions end before the lease does, so that no other holder brings the
 * old refresh token to the provider meanwhile.
 */
export const retryForMs = ({ saveUntilMs }: Pick<Lease, 'saveUntilMs'>, nowMs: number): number =>
  Math.max(RETRY_FOR_MIN_MS, saveUntilMs - nowMs);

async function saveIn(
  tx: Transaction,
  { chance }: SavingPorts,
  lease: Lease,
  given: Tokens,
  at: Date,
): Promise<'saved' | Late> {
  const { connectionId, credentialVersion } = lease;
  if (await tx.refreshes.isSaved(lease)) return 'saved';
  const current = await tx.credentials.find(connectionId);
  if (current?.credentialVersion !== credentialVersion) return lateBy(current, lease);

  const data = { at: at.toISOString() };
  await tx.handle(connectionId, { type: 'RecordRefresh', data }, { actor: bySystem });
  const version = credentialVersion + 1;
  // Without a new refresh token the old one goes on (RFC 6749, section 6).
  const tokens = { ...given, refreshToken: given.refreshToken ?? lease.refreshToken };
  await tx.credentials.replace({
    connectionId,
    version,
    tokens,
    issuedAt: at,
    refreshAt: refreshAt(at, tokens, chance()),
  });
  const { expiresAt, scopes = lease.scopes } = tokens;
  await tx.refreshes.add(lease, { ...scopes, credentialVersion: version, at, expiresAt });
  return 'saved';
}

function lateBy(current: StoredCredential | undefined, { consent }: Lease): Late {
  if (current === undefined) return 'ended';
  return current.consent === consent ? 'replaced' : 'reconnected';
}
