import { batcher } from '@junction/async';
import { refreshAt } from '../../domain/refresh-ahead.js';
import { bySystem } from '../handle-command.js';
import type { Tokens } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import type { Late, Lease, Refreshed, StoredCredential } from './ports.js';

/** Shortest time for which saving is tried, also when the process slept and no other replica took the lease. */
const RETRY_FOR_MIN_MS = 8_000;
/** Failed refreshes that are recorded in one transaction. */
const TOGETHER_MAX = 100;
/** Milliseconds between two such transactions, in which about as many refreshes begin as a replica has under way. */
const REST_MS = 150;

type SavingPorts = Pick<Ports, 'unitOfWork' | 'leases' | 'now' | 'monotonicMs' | 'chance'>;

/**
 * Saves the tokens of a refresh, by a single statement unless there is more to do or to find out. Saving is repeated
 * through an outage for as long as the lease allows, because the tokens exist nowhere else. A newer version refuses
 * these tokens; a lease that passed on does not.
 */
export async function saveRefresh(
  ports: SavingPorts,
  lease: Lease,
  given: Tokens,
): Promise<'saved' | Late> {
  const at = ports.now();
  // Without a new refresh token the old one goes on (RFC 6749, section 6).
  const tokens = { ...given, refreshToken: given.refreshToken ?? lease.refreshToken };
  const refreshed: Refreshed = {
    lease,
    connectionId: lease.connectionId,
    version: lease.credentialVersion + 1,
    tokens,
    scopes: tokens.scopes ?? lease.scopes,
    issuedAt: at,
    refreshAt: refreshAt(at, tokens, ports.chance()),
  };
  // Whatever keeps the statement from saving, the transaction meets it too: it repeats, or says why.
  if (await ports.leases.save(refreshed).catch(() => false)) return 'saved';
  return ports.unitOfWork.inUserTurn(lease.userId, async (tx) => saveIn(tx, refreshed), {
    retryForMs: retryForMs(lease, ports.monotonicMs()),
  });
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

/** Records a failed refresh under a lease. */
export type RecordFailure = (lease: Lease, failure: RefreshFailure) => Promise<void>;

interface FailedRefresh extends RefreshFailure {
  readonly lease: Lease;
}

/**
 * Returns the recorder of failed refreshes. It records for the holder of the lease alone: after the lease has passed
 * on, the next holder decides. Failures that come together are recorded in one transaction. One that cannot be, or
 * whose user's turn is taken, is recorded by itself, so that it holds up no other.
 */
export function failureRecorder(ports: SavingPorts): RecordFailure {
  const isRecorded = batcher<FailedRefresh, boolean>({
    concurrency: 1,
    sizeMax: TOGETHER_MAX,
    restMs: REST_MS,
    async process(failures) {
      const recorded = new Set(await recordTogether(ports, failures).catch(() => []));
      return failures.map((one) => recorded.has(one));
    },
  });
  return async (lease, failure) => {
    const failed = { lease, ...failure };
    if (await isRecorded(failed)) return;
    const record = async (tx: Transaction) => recordIn(tx, [failed], ports.now());
    await ports.unitOfWork.inUserTurn(lease.userId, record);
  };
}

/** Records these failures, but for those of users whose turn is taken; returns the recorded ones. */
const recordTogether = async (
  { unitOfWork, now }: SavingPorts,
  failures: readonly FailedRefresh[],
): Promise<readonly FailedRefresh[]> =>
  unitOfWork.inTransaction(async (tx) => {
    const turns = await tx.takeFreeTurns(failures.map(({ lease }) => lease.userId));
    const free = failures.filter(({ lease }) => turns.has(lease.userId));
    await recordIn(tx, free, now());
    return free;
  });

async function recordIn(
  { credentials, handleAll }: Transaction,
  failures: readonly FailedRefresh[],
  now: Date,
): Promise<void> {
  const owners = await credentials.owners(failures.map(({ lease }) => lease));
  const ours = failures.filter(({ lease }) => owners.has(lease.owner));
  const at = now.toISOString();
  const commands = ours.map(({ lease: { connectionId, credentialVersion }, reason, final }) => {
    const data = { credentialVersion, reason, final, at };
    return { connectionId, command: { type: 'RecordRefreshFailure', data } as const };
  });
  await handleAll(commands, { actor: bySystem });
  const final = ours.filter((one) => one.final);
  await credentials.delete(final.map(({ lease }) => lease.connectionId));
  const others = ours.filter((one) => !one.final);
  await credentials.endLeases(others.map((one) => ({ ...one, failures: 1 })));
}

/**
 * Returns for how long saving is repeated. Repetitions end before the lease does, so that no other holder brings the
 * old refresh token to the provider meanwhile.
 */
export const retryForMs = ({ saveUntilMs }: Pick<Lease, 'saveUntilMs'>, nowMs: number): number =>
  Math.max(RETRY_FOR_MIN_MS, saveUntilMs - nowMs);

async function saveIn(tx: Transaction, refreshed: Refreshed): Promise<'saved' | Late> {
  const { lease, issuedAt } = refreshed;
  if (await tx.refreshes.isSaved(lease)) return 'saved';
  const current = await tx.credentials.find(lease.connectionId);
  if (current?.credentialVersion !== lease.credentialVersion) return lateBy(current, lease);

  const data = { at: issuedAt.toISOString() };
  await tx.handle(lease.connectionId, { type: 'RecordRefresh', data }, { actor: bySystem });
  await tx.credentials.replace(refreshed);
  return 'saved';
}

function lateBy(current: StoredCredential | undefined, { consent }: Lease): Late {
  if (current === undefined) return 'ended';
  return current.consent === consent ? 'replaced' : 'reconnected';
}
