import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { CHECK_EVERY_MS } from '../../application/check.js';
import type { CheckedConnection, Checks, DueCheck } from '../../application/needs.js';
import { revocableOf } from '../../application/revoke.js';
import type { Provider, RevokedReason } from '../../domain/connection/events.js';
import { act, byItself, type ConnectionStore } from './connection-store.js';
import type { CredentialRow, Credentials } from './credentials.js';
import { inUserTransaction } from './user-transaction.js';

const SECOND_MS = 1_000;
const LEAD = `interval '30 seconds'`;
/** An answer is good for so long, so that leading is not written every second. */
const LED_MS = 10 * SECOND_MS;
const DOUBTED_MAX = 100;

export interface ChecksOptions {
  readonly pool: pg.Pool;
  readonly store: ConnectionStore;
  readonly credentials: Credentials;
  readonly afterCommit: () => void;
}

/** Which connections the provider is asked about, and when. */
export function postgresChecks(options: ChecksOptions): Checks {
  const { pool, afterCommit } = options;
  return {
    lead: leading(pool),

    claimDue: async (provider, limit, restMs) =>
      claim(options, 'provider = $2 and not doubted', limit, restMs, [provider]),

    claimDoubted: async (resting, restMs) =>
      claim(options, 'doubted and provider <> all ($2)', DOUBTED_MAX, restMs, [resting]),

    async giveBack(checks) {
      await pool.query(
        'update connection_checks set due_at = now() where connection_id = any ($1)',
        [checks.map(({ connectionId }) => connectionId)],
      );
    },

    async settle(connectionId, restMs) {
      await pool.query(
        `update connection_checks
            set doubted = false, unanswered_since = null, due_at = now() + make_interval(secs => $2)
          where connection_id = $1`,
        [connectionId, restMs / SECOND_MS],
      );
    },

    async leaveUnanswered({ connectionId, dueSince }) {
      await setUnanswered(pool, connectionId, dueSince);
    },

    async answered({ connectionId }) {
      await setUnanswered(pool, connectionId, null);
    },

    async end(connection, at) {
      const { userId, connectionId, credentialVersion: revokedVersion } = connection;
      await inUserTransaction(pool, userId, async (tx) => {
        if (await endedOtherwise(tx, connectionId)) return;
        const ended = { connectionId, reason: 'inactive', revokedVersion, at } as const;
        await endRevoked(tx, options, ended);
      });
      afterCommit();
    },

    async overdueMs(provider) {
      const { rows } = await pool.query<{ overdue_ms: number | null }>(
        `select extract(epoch from now() - least(
                  (select min(due_at) from connection_checks where provider = $1),
                  (select min(unanswered_since) from connection_checks
                    where provider = $1 and unanswered_since is not null)
                ))::float8 * ${SECOND_MS} as overdue_ms`,
        [provider],
      );
      return Math.max(0, rows[0]?.overdue_ms ?? 0);
    },
  };
}

/**
 * The refresh that was to prove an `inactive` ended it, and not because the provider took the grant back: a
 * refresh token that was lost, or an access token that expired, is inactive as well.
 */
async function endedOtherwise(tx: pg.ClientBase, connectionId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from connections
      where connection_id = $1 and status = 'reconnect_required' and status_reason <> 'invalid_grant'`,
    [connectionId],
  );
  return rowCount === 1;
}

async function setUnanswered(
  pool: pg.Pool,
  connectionId: string,
  since: Date | null,
): Promise<void> {
  await pool.query('update connection_checks set unanswered_since = $2 where connection_id = $1', [
    connectionId,
    since,
  ]);
}

function leading(pool: pg.Pool): Checks['lead'] {
  const owner = randomUUID();
  let led: ReadonlySet<Provider> = new Set();
  let askedAtMs = -Infinity;
  return async (providers) => {
    const nowMs = performance.now();
    if (nowMs - askedAtMs < LED_MS) return led;
    const { rows } = await pool.query<{ provider: Provider }>(
      `insert into sweeps (provider, owner, lease_until)
       select provider, $2, now() + ${LEAD} from unnest($1::text[]) as p (provider) order by provider
       on conflict (provider) do update
          set owner = excluded.owner, lease_until = excluded.lease_until
        where sweeps.owner = excluded.owner or sweeps.lease_until <= now()
       returning provider`,
      [providers, owner],
    );
    led = new Set(rows.map(({ provider }) => provider));
    askedAtMs = nowMs;
    return led;
  };
}

/** A new connection is asked about for the first time when it is no longer new. */
export async function beginChecks(
  tx: pg.ClientBase,
  connectionId: string,
  provider: Provider,
): Promise<void> {
  await tx.query(
    `insert into connection_checks (connection_id, provider, due_at)
     values ($1, $2, now() + make_interval(secs => $3))`,
    [connectionId, provider, CHECK_EVERY_MS / SECOND_MS],
  );
}

/** In the transaction that learned of a reason to doubt it. False: it has nothing left to be asked about. */
export async function doubt(tx: pg.ClientBase, connectionId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update connection_checks set doubted = true, due_at = now() where connection_id = $1`,
    [connectionId],
  );
  return rowCount === 1;
}

export interface RevokedThere {
  readonly connectionId: string;
  readonly reason: RevokedReason;
  /** Undefined: whatever version it has. */
  readonly revokedVersion?: number;
  /** Given when its tokens may live on there: they are queued to be revoked, as this account's. */
  readonly accountId?: string | undefined;
  readonly at: Date;
}

/** Ends a connection that ended at its provider; false when it had ended before, or is newer. */
export async function endRevoked(
  tx: pg.PoolClient,
  { store, credentials }: Pick<ChecksOptions, 'store' | 'credentials'>,
  { connectionId, accountId, at, ...revoked }: RevokedThere,
): Promise<boolean> {
  const data = { ...revoked, at: at.toISOString() };
  const command = { type: 'RecordRevocation', data } as const;
  const { events } = await act(store, tx, { connectionId, command, actor: byItself });
  if (events.length === 0) return false;
  if (accountId === undefined) await credentials.drop(tx, connectionId);
  else await credentials.revoke(tx, connectionId, accountId);
  return true;
}

type DueRow = CredentialRow & {
  readonly user_id: string;
  readonly provider: Provider;
  readonly doubted: boolean;
  readonly due_since: Date;
  readonly was_unanswered: boolean;
  readonly answer_lost: boolean;
};

async function claim(
  { pool, credentials }: ChecksOptions,
  which: string,
  limit: number,
  restMs: number,
  values: readonly unknown[],
): Promise<readonly DueCheck[]> {
  const { rows } = await pool.query<DueRow>(
    `with due as materialized (
       select connection_id, coalesce(unanswered_since, due_at) as due_since
         from connection_checks
        where ${which} and due_at <= now() order by due_at limit ${limit}
          for update skip locked)
     update connection_checks k set due_at = now() + make_interval(secs => $1)
       from due join connections c using (connection_id) join credentials t using (connection_id)
      where k.connection_id = due.connection_id
     returning c.connection_id, c.user_id, c.provider, k.doubted, due.due_since,
               k.unanswered_since is not null as was_unanswered, t.key_subject,
               t.credential_version, t.access_token, t.refresh_token,
               -- A holder of the lease that did not come back may have sent.
               (t.answer_lost or t.lease_until <= now()) is true as answer_lost`,
    [restMs / SECOND_MS, ...values],
  );
  return rows.map((row) => dueCheck(row, credentials));
}

function dueCheck(row: DueRow, credentials: Credentials): DueCheck {
  const connection: CheckedConnection = {
    connectionId: row.connection_id,
    userId: row.user_id,
    provider: row.provider,
    credentialVersion: row.credential_version,
  };
  return {
    ...connection,
    doubted: row.doubted,
    dueSince: row.due_since,
    wasUnanswered: row.was_unanswered,
    async token() {
      // After an answer that was lost the refresh token may be inactive because there is a newer one, and the
      // proof would be to use it twice. The access token is inactive when the grant is.
      const refreshToken = row.answer_lost
        ? undefined
        : await credentials.open(row, 'refresh_token');
      if (refreshToken !== undefined) return revocableOf({ refreshToken });
      return revocableOf({ accessToken: await credentials.open(row, 'access_token') });
    },
  };
}
