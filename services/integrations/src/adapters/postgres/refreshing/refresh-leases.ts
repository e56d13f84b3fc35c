import { randomUUID } from 'node:crypto';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import { type Vault, VaultError } from '@junction/vault';
import type {
  Lease,
  LeaseAnswer,
  LeaseEnd,
  RefreshLeases,
} from '../../../application/refreshing/ports.js';
import { SELECT_CONNECTIONS, type SelectedConnection } from '../connection-select.js';
import { type CredentialRow, openToken } from '../sealed-tokens.js';

const SECOND_MS = 1_000;
const LEASE_S = 60;
/**
 * Milliseconds before the end of the lease by which saving must end. The next holder would use the old refresh token.
 */
const SAVED_BEFORE_END_MS = 2 * SECOND_MS;
/**
 * Milliseconds within which the call must be sent: the rest of the lease is enough for the call (25 s) and the saving.
 */
const SEND_WITHIN_MS = 25 * SECOND_MS;

export interface RefreshLeasesOptions {
  readonly pool: Queryable;
  readonly vault: Vault;
  readonly monotonicMs: () => number;
}

/** Returns the leases that decide which replica may refresh, by the clock of the database. */
export const postgresLeases = (options: RefreshLeasesOptions): RefreshLeases => ({
  acquire: async (connectionId, version) => acquire(options, connectionId, version),

  async release(lease, backoffMs) {
    const nothing = { failures: 0, answerLost: false, unclear: false } as const;
    await endLease(options.pool, lease, { backoffMs, ...nothing });
  },
});

/** Ends a lease. Without effect when the lease has passed on. */
export async function endLease(
  db: Queryable,
  { connectionId, owner }: Lease,
  { backoffMs, failures, answerLost, unclear }: LeaseEnd,
): Promise<void> {
  await endHeld(db, {
    connection_id: connectionId,
    owner,
    failures,
    backoff_s: backoffMs / SECOND_MS,
    answer_lost: answerLost,
    unclear,
  });
}

const endHeld = statement(`
update credentials
   set lease_owner = null, lease_until = null, failures = failures + :failures,
       answer_lost = answer_lost or :answer_lost,
       unclear_since = case when :unclear then coalesce(unclear_since, now()) else unclear_since end,
       next_attempt_at = case when :backoff_s::float8 > 0
                              then now() + make_interval(secs => :backoff_s) end,
       refresh_at = case when :backoff_s::float8 > 0
                         then now() + make_interval(secs => :backoff_s) else refresh_at end
 where connection_id = :connection_id and lease_owner = :owner`);

type LeasedRow = CredentialRow &
  Pick<
    SelectedConnection,
    | 'user_id'
    | 'identity_provider'
    | 'provider'
    | 'account_id'
    | 'granted_scopes'
    | 'missing_scopes'
  > & {
    readonly expires_at: Date;
    readonly failures: number;
    readonly answer_lost: boolean;
    readonly unclear_since: Date | null;
  };

const takeLease = statement<LeasedRow>(`
update credentials k
   set lease_owner = :owner, lease_until = now() + interval '${LEASE_S} seconds',
       -- A holder that let its lease pass may have sent a refresh.
       answer_lost = k.answer_lost or k.lease_until is not null
  from (${SELECT_CONNECTIONS}) c
 where k.connection_id = :connection_id and k.credential_version = :version
   and c.connection_id = k.connection_id
   and (k.lease_until is null or k.lease_until <= now())
   and (k.next_attempt_at is null or k.next_attempt_at <= now())
returning k.connection_id, k.key_subject, k.credential_version, k.access_token,
          k.refresh_token, k.expires_at, k.failures, k.answer_lost, k.unclear_since,
          c.user_id, c.identity_provider, c.provider, c.account_id, c.granted_scopes, c.missing_scopes`);

async function acquire(
  { pool, vault, monotonicMs }: RefreshLeasesOptions,
  connectionId: string,
  version: number,
): Promise<LeaseAnswer> {
  const owner = randomUUID();
  const beganAtMs = monotonicMs();
  const sendUntilMs = beganAtMs + SEND_WITHIN_MS;
  const saveUntilMs = beganAtMs + LEASE_S * SECOND_MS - SAVED_BEFORE_END_MS;
  const { rows } = await takeLease(pool, { connection_id: connectionId, version, owner });
  const [row] = rows;
  if (row === undefined) return leaseRefusal(pool, connectionId, version);

  const lease = { ...leaseOf(row), owner, sendUntilMs, saveUntilMs };
  try {
    const refreshToken = await openToken(vault, row, 'refresh_token');
    if (row.refresh_token === null || refreshToken !== undefined) {
      return { kind: 'ours', lease: { ...lease, refreshToken } };
    }
    // The key was destroyed: together with the row, when the connection ended between the two reads.
    // A row that is left without its key was changed.
    if (!(await isHeld(pool, lease))) return { kind: 'over' };
    return { kind: 'unreadable', lease: { ...lease, refreshToken } };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { kind: 'unreadable', lease: { ...lease, refreshToken: undefined } };
  }
}

async function isHeld(
  pool: Queryable,
  { connectionId, owner }: Pick<Lease, 'connectionId' | 'owner'>,
): Promise<boolean> {
  const { rowCount } = await findHeld(pool, { connection_id: connectionId, owner });
  return rowCount === 1;
}

const findHeld = statement(
  'select from credentials where connection_id = :connection_id and lease_owner = :owner',
);

/** Tells whether tokens are unreadable for good: a key that is missing from the ring can be put back. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof VaultError && error.code !== 'unknown_key';

const leaseOf = (
  row: LeasedRow,
): Omit<Lease, 'owner' | 'sendUntilMs' | 'saveUntilMs' | 'refreshToken'> => ({
  connectionId: row.connection_id,
  userId: row.user_id,
  identityProvider: row.identity_provider,
  provider: row.provider,
  consent: row.key_subject,
  accountId: row.account_id,
  credentialVersion: row.credential_version,
  expiresAt: row.expires_at,
  scopes: { grantedScopes: row.granted_scopes, missingScopes: row.missing_scopes },
  failures: row.failures,
  answerLost: row.answer_lost,
  unclearSince: row.unclear_since ?? undefined,
});

async function leaseRefusal(
  pool: Queryable,
  connectionId: string,
  version: number,
): Promise<LeaseAnswer> {
  const { rows } = await readRefusal(pool, { connection_id: connectionId, version });
  const [row] = rows;
  if (row === undefined) return { kind: 'over' };
  if (!row.is_leased && row.backoff_ms !== null && row.backoff_ms > 0) {
    return { kind: 'backing_off', forMs: row.backoff_ms };
  }
  return { kind: 'busy' };
}

const readRefusal = statement<{ is_leased: boolean; backoff_ms: number | null }>(`
select coalesce(lease_until > now(), false) as is_leased,
       extract(epoch from next_attempt_at - now())::float8 * ${SECOND_MS} as backoff_ms
  from credentials where connection_id = :connection_id and credential_version = :version`);
