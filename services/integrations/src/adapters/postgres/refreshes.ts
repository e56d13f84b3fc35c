import { randomUUID } from 'node:crypto';
import { AppError } from '@junction/errors';
import { VaultError } from '@junction/vault';
import type pg from 'pg';
import type { Late, Lease, LeaseAnswer, Refreshes, Tokens } from '../../application/needs.js';
import type { ConnectionRow } from '../../projections/connection-row.js';
import { act, byItself, type ConnectionStore } from './connection-store.js';
import type { CredentialRow, Credentials } from './credentials.js';
import { inUserTransaction, persistently } from './user-transaction.js';

const SECOND_MS = 1_000;
const LEASE_S = 60;
/** Tried at least for so long: after a sleep, too, when nobody else took the lease. */
const SAVE_FOR_MIN_MS = 8 * SECOND_MS;
/** Before the lease passes on, so that nobody brings the old refresh token to the provider meanwhile. */
const SAVED_BEFORE_END_MS = 2 * SECOND_MS;
/** What is left then is enough for the call (25 s) and the saving. */
const SEND_WITHIN_MS = 25 * SECOND_MS;

export interface RefreshesOptions {
  readonly pool: pg.Pool;
  readonly store: ConnectionStore;
  readonly credentials: Credentials;
  readonly afterCommit: () => void;
}

/** Who may refresh, and what came of it. */
export function postgresRefreshes(options: RefreshesOptions): Refreshes {
  const { pool, store, credentials, afterCommit } = options;
  return {
    lease: (connectionId, version) => takeLease(pool, credentials, connectionId, version),

    async save(lease, tokens, at) {
      const commandId = randomUUID();
      const outcome = await persistently(saveForMs(lease), async () =>
        inUserTransaction(pool, lease.userId, async (tx) =>
          saveIn(tx, options, lease, { tokens, at, commandId }),
        ),
      );
      afterCommit();
      return outcome;
    },

    async keepRefreshToken(lease, refreshToken) {
      return persistently(saveForMs(lease), async () =>
        inUserTransaction(pool, lease.userId, async (tx) => {
          const standing = await findStanding(tx, lease.connectionId);
          if (standing?.credential_version !== lease.credentialVersion) {
            return lateFor(standing, lease);
          }
          await credentials.replaceRefreshToken(tx, lease.connectionId, refreshToken);
          return 'kept';
        }),
      );
    },

    async fail(lease, { reason, final, restMs, answerLost, at }) {
      const { connectionId, credentialVersion: refreshedVersion } = lease;
      await inUserTransaction(pool, lease.userId, async (tx) => {
        const standing = await findStanding(tx, connectionId);
        if (standing?.lease_owner !== lease.owner) return;
        const data = { refreshedVersion, reason, final, at: at.toISOString() };
        const command = { type: 'RecordRefreshFailure', data } as const;
        await act(store, tx, { connectionId, command, actor: byItself });
        if (final) await credentials.drop(tx, connectionId);
        else await endLease(tx, lease, { restMs, failures: 1, answerLost });
      });
      afterCommit();
    },

    async release(lease, restMs) {
      await endLease(pool, lease, { restMs, failures: 0, answerLost: false });
    },
  };
}

/** Nobody else has what came: it is given up only when the lease is nearly over. */
const saveForMs = ({ saveUntilMs }: Lease): number =>
  Math.max(SAVE_FOR_MIN_MS, saveUntilMs - performance.now());

type LeasedRow = CredentialRow &
  Pick<ConnectionRow, 'user_id' | 'account_id' | 'granted_scopes' | 'missing_scopes'> & {
    readonly expires_at: Date;
    readonly failures: number;
    readonly answer_lost: boolean;
  };

async function takeLease(
  pool: pg.Pool,
  credentials: Credentials,
  connectionId: string,
  version: number,
): Promise<LeaseAnswer> {
  const owner = randomUUID();
  const beganAtMs = performance.now();
  const sendUntilMs = beganAtMs + SEND_WITHIN_MS;
  const saveUntilMs = beganAtMs + LEASE_S * SECOND_MS - SAVED_BEFORE_END_MS;
  const { rows } = await pool.query<LeasedRow>(
    `update credentials k
        set lease_owner = $3, lease_until = now() + interval '${LEASE_S} seconds',
            -- A holder that did not come back may have sent.
            answer_lost = k.answer_lost or k.lease_until is not null
       from connections c
      where k.connection_id = $1 and k.credential_version = $2
        and c.connection_id = k.connection_id
        and (k.lease_until is null or k.lease_until <= now())
        and (k.next_attempt_at is null or k.next_attempt_at <= now())
     returning k.connection_id, k.key_subject, k.credential_version, k.access_token,
               k.refresh_token, k.expires_at, k.failures, k.answer_lost, c.user_id,
               c.account_id, c.granted_scopes, c.missing_scopes`,
    [connectionId, version, owner],
  );
  const [row] = rows;
  if (row === undefined) return whyNot(pool, connectionId, version);

  const lease = { ...leaseOf(row), owner, sendUntilMs, saveUntilMs };
  try {
    const refreshToken = await credentials.open(row, 'refresh_token');
    if (row.refresh_token === null || refreshToken !== undefined) {
      return { kind: 'ours', lease: { ...lease, refreshToken } };
    }
    // Ended between the two reads: the row goes together with its key. Alone it is a row that was changed.
    if (!(await isHeld(pool, lease))) return { kind: 'over' };
    return { kind: 'unreadable', lease: { ...lease, refreshToken } };
  } catch (error) {
    if (!isSpoilt(error)) throw error;
    return { kind: 'unreadable', lease: { ...lease, refreshToken: undefined } };
  }
}

async function isHeld(
  pool: pg.Pool,
  { connectionId, owner }: Pick<Lease, 'connectionId' | 'owner'>,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    'select from credentials where connection_id = $1 and lease_owner = $2',
    [connectionId, owner],
  );
  return rowCount === 1;
}

/** A key that is missing from the ring can be put back: that spoils nothing. */
const isSpoilt = (error: unknown): boolean =>
  error instanceof VaultError && error.code !== 'unknown_key';

const leaseOf = (
  row: LeasedRow,
): Omit<Lease, 'owner' | 'sendUntilMs' | 'saveUntilMs' | 'refreshToken'> => ({
  connectionId: row.connection_id,
  userId: row.user_id,
  consent: row.key_subject,
  accountId: row.account_id,
  credentialVersion: row.credential_version,
  expiresAt: row.expires_at,
  scopes: { grantedScopes: row.granted_scopes, missingScopes: row.missing_scopes },
  failures: row.failures,
  answerLost: row.answer_lost,
});

async function whyNot(pool: pg.Pool, connectionId: string, version: number): Promise<LeaseAnswer> {
  const { rows } = await pool.query<{ is_leased: boolean; rest_ms: number | null }>(
    `select coalesce(lease_until > now(), false) as is_leased,
            extract(epoch from next_attempt_at - now())::float8 * ${SECOND_MS} as rest_ms
       from credentials where connection_id = $1 and credential_version = $2`,
    [connectionId, version],
  );
  const [row] = rows;
  if (row === undefined) return { kind: 'over' };
  if (!row.is_leased && row.rest_ms !== null && row.rest_ms > 0) {
    return { kind: 'resting', forMs: row.rest_ms };
  }
  return { kind: 'busy' };
}

interface Saving {
  readonly tokens: Tokens;
  readonly at: Date;
  /** The same in every repetition: a commit whose answer was lost is recognised. */
  readonly commandId: string;
}

async function saveIn(
  tx: pg.PoolClient,
  { store, credentials }: RefreshesOptions,
  lease: Lease,
  { tokens, at, commandId }: Saving,
): Promise<'saved' | Late> {
  const { connectionId, credentialVersion: refreshedVersion, scopes } = lease;
  const data = {
    refreshedVersion,
    ...(tokens.scopes ?? scopes),
    expiresAt: tokens.expiresAt.toISOString(),
    at: at.toISOString(),
  };
  const command = { type: 'RecordRefresh', data } as const;
  try {
    const { events, repeated } = await act(store, tx, {
      connectionId,
      command,
      actor: byItself,
      commandId,
    });
    if (repeated) return 'saved';
    // A stream without a beginning: its rows were restored without it.
    if (events.length === 0) return 'ended';
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    if (error.code !== 'credentials_replaced') return 'ended';
    return lateFor(await findStanding(tx, connectionId), lease);
  }

  await credentials.replace(tx, {
    connectionId,
    version: refreshedVersion + 1,
    // Without a new one the old one goes on (RFC 6749, section 6).
    tokens: { ...tokens, refreshToken: tokens.refreshToken ?? lease.refreshToken },
    issuedAt: at,
  });
  return 'saved';
}

interface StandingVersion {
  readonly credential_version: number;
  readonly lease_owner: string | null;
  /** Each connect makes a data key of its own. */
  readonly key_subject: string;
  readonly account_id: string;
}

function lateFor(standing: StandingVersion | undefined, { consent, accountId }: Lease): Late {
  if (standing === undefined) return 'ended';
  if (standing.account_id !== accountId) return 'account_changed';
  return standing.key_subject === consent ? 'replaced' : 'reconnected';
}

/** Undefined: it has no credentials any more. */
async function findStanding(
  tx: pg.ClientBase,
  connectionId: string,
): Promise<StandingVersion | undefined> {
  const { rows } = await tx.query<StandingVersion>(
    `select k.credential_version, k.lease_owner, k.key_subject, c.account_id
       from credentials k join connections c using (connection_id)
      where connection_id = $1 for update of k`,
    [connectionId],
  );
  return rows[0];
}

interface LeaseEnd {
  readonly restMs: number;
  readonly failures: 0 | 1;
  readonly answerLost: boolean;
}

async function endLease(
  db: pg.Pool | pg.ClientBase,
  { connectionId, owner }: Lease,
  { restMs, failures, answerLost }: LeaseEnd,
): Promise<void> {
  await db.query(
    `update credentials
        set lease_owner = null, lease_until = null, failures = failures + $3,
            answer_lost = answer_lost or $5,
            next_attempt_at = case when $4::float8 > 0
                                   then now() + make_interval(secs => $4) end,
            refresh_at = case when refresh_token is not null and $4::float8 > 0
                              then now() + make_interval(secs => $4) else refresh_at end
      where connection_id = $1 and lease_owner = $2`,
    [connectionId, owner, failures, restMs / SECOND_MS, answerLost],
  );
}
