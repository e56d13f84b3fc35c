import { backoffMs, REJECTED_BACKOFF, REVOCATION_BACKOFF } from '../../domain/backoff.js';
import {
  clientNamed,
  REVOCATION_OUTCOMES,
  type RevocationOutcome,
} from '../../domain/connection/events.js';
import type { ConnectionRecord } from '../connections/ports.js';
import { bySystem } from '../handle-command.js';
import type { OAuthProvider } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { ProviderError } from '../provider-error.js';
import type { QueuedRevocation } from './ports.js';

const DAY_MS = 86_400_000;
/** Milliseconds for which a revocation is tried: longer than unused refresh tokens live. */
const TRIED_FOR_MS = 90 * DAY_MS;
/** Milliseconds for which an endpoint may be away: longer than a deployment that went wrong. */
const ENDPOINT_SOUGHT_FOR_MS = DAY_MS;

type RevocationPorts = Pick<
  Ports,
  'providers' | 'unitOfWork' | 'connections' | 'revocations' | 'log' | 'now' | 'chance'
>;

/**
 * Revokes at the providers what is due (RFC 7009) and says how much there was: more may be due while
 * it is not 0.
 */
export const revokeDue = (ports: RevocationPorts) => async (): Promise<number> => {
  const due = await ports.revocations.claim();
  await Promise.all(due.map(async (queued) => revokeOne(ports, queued)));
  return due.length;
};

async function revokeOne(ports: RevocationPorts, queued: QueuedRevocation): Promise<void> {
  const { revocations, log, now, chance } = ports;
  const { revocationId, connectionId, client, attempts } = queued;
  try {
    const provider = ports.providers.get(client);
    // The settings of the provider may be on another replica already, or come back to this one.
    if (provider === undefined) throw notSetUp();
    return await recordOutcome(ports, queued, await revokeAlone(ports, provider, queued));
  } catch (error) {
    const fields = { err: error, client, connection_id: connectionId, attempts };
    const outcome = givenUpAs(error, now().getTime() - queued.queuedAt.getTime());
    if (outcome !== undefined) {
      log.error({ ...fields, outcome, keep: true }, 'revocation at the provider given up');
      return recordOutcome(ports, queued, outcome);
    }
    log.warn(fields, 'revocation at the provider failed; it will be repeated');
    const { failure, retryAfterMs } = error instanceof ProviderError ? error : UNFORESEEN;
    const policy = failure === 'unavailable' ? REVOCATION_BACKOFF : REJECTED_BACKOFF;
    const backoff = backoffMs(policy, attempts, chance(), retryAfterMs);
    return revocations.postpone(revocationId, backoff);
  }
}

/** Returns the outcome of a revocation that is given up after so long; undefined while it is tried again. */
export function givenUpAs(error: unknown, triedForMs: number): RevocationOutcome | undefined {
  const isNowhere = error instanceof ProviderError && error.reason === 'no_revocation_endpoint';
  if (isNowhere) return triedForMs > ENDPOINT_SOUGHT_FOR_MS ? 'unsupported' : undefined;
  return triedForMs > TRIED_FOR_MS ? 'failed' : undefined;
}

const UNFORESEEN = { failure: 'unavailable', retryAfterMs: undefined } as const;

/**
 * Revokes a token. A provider may end all that an account has granted to the client with one token (Google). There the
 * revocation is left out while another connection holds tokens of that account, of any user. The connections are read
 * right before the token is sent: this counts users who connect while it is queued, and the last of several who
 * disconnect, also when its user or its connection was deleted since.
 */
async function revokeAlone(
  { connections, unitOfWork }: RevocationPorts,
  provider: OAuthProvider,
  queued: QueuedRevocation,
): Promise<RevocationOutcome> {
  const standing = async () =>
    provider.separateGrants
      ? []
      : connections.standing(clientNamed(queued.client), queued.accountId());
  if ((await standing()).length > 0) return 'unsupported';
  const answer = await provider.revoke(queued.token());
  if (answer === 'unsupported') return answer;
  // A connection that was made during the revocation may have ended with it, so the provider is asked about that
  // connection.
  for (const { userId, connectionId } of await standing()) {
    await unitOfWork.inUserTurn(userId, async (tx) => tx.checks.suspect(connectionId));
  }
  return 'done';
}

/**
 * Takes a revocation from the queue. A connection that ended records the outcome with its last token, or at once when
 * the outcome is not `done`.
 */
async function recordOutcome(
  { unitOfWork, connections, revocations, now }: RevocationPorts,
  { revocationId, connectionId }: QueuedRevocation,
  outcome: RevocationOutcome,
): Promise<void> {
  const owner = connectionId === null ? undefined : await connections.get(connectionId);
  // A connection that never came to be, or was deleted with its user, records no outcome.
  if (owner === undefined) return revocations.delete(revocationId);
  const { connectionId: id, userId } = owner;
  const data = { outcome, at: now().toISOString() };
  await unitOfWork.inUserTurn(userId, async (tx) => {
    const wasPending = await tx.revocations.delete(revocationId);
    const connection = await tx.connections.get(id);
    if (!wasPending || connection === undefined) return;
    const isMorePending = await tx.revocations.isPending(id);
    if (!isNews(outcome, connection.providerRevocation, isMorePending)) return;
    await tx.handle(id, { type: 'RecordRevocationOutcome', data }, { actor: bySystem });
  });
}

/**
 * Tells whether an outcome changes what is known. Among several tokens the worst outcome counts, as soon as it is
 * known; `done` holds only when every token is done.
 */
export function isNews(
  outcome: RevocationOutcome,
  known: ConnectionRecord['providerRevocation'],
  isMorePending: boolean,
): boolean {
  if (outcome === 'done' && isMorePending) return false;
  const order: readonly unknown[] = REVOCATION_OUTCOMES;
  return order.indexOf(outcome) > order.indexOf(known);
}

const notSetUp = (): ProviderError =>
  new ProviderError({ failure: 'misconfigured', reason: 'not_set_up', sent: false });
