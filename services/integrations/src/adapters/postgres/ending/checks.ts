import { leaseTable } from '@junction/leases';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { CheckedConnection, Checks, DueCheck } from '../../../application/ports.js';
import { revocableOf } from '../../../application/revoke-unused.js';
import type { CheckTable } from '../../../application/unit-of-work.js';
import type { ClientName, Provider } from '../../../domain/connection/events.js';
import { type CredentialRow, openToken } from '../sealed-tokens.js';

const SECOND_MS = 1_000;
const LEAD_MS = 30 * SECOND_MS;
/** An answer is good for so long, so that leading is not written every second. */
const LED_MS = 10 * SECOND_MS;
const SUSPECTED_MAX = 100;

export interface ChecksOptions {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly monotonicMs: () => number;
}

/** Keeps, for each connection, when the provider is asked about it next. */
export function postgresChecks(options: ChecksOptions): Checks {
  const { pool } = options;
  return {
    lead: leading(options),

    claimDue: async (client, limit, againInMs) =>
      claim(options, 'client = $2 and not suspected', limit, againInMs, [client]),

    claimSuspected: async (except, againInMs) =>
      claim(options, 'suspected and client <> all ($2)', SUSPECTED_MAX, againInMs, [except]),

    async giveBack(checks) {
      await pool.query(
        'update connection_checks set due_at = now() where connection_id = any ($1)',
        [checks.map(({ connectionId }) => connectionId)],
      );
    },

    async confirm(connectionId, againInMs) {
      await pool.query(
        `update connection_checks
            set suspected = false, unanswered_since = null,
                due_at = now() + make_interval(secs => $2)
          where connection_id = $1`,
        [connectionId, againInMs / SECOND_MS],
      );
    },

    async leaveUnanswered({ connectionId, dueSince }) {
      await setUnanswered(pool, connectionId, dueSince);
    },

    async answered({ connectionId }) {
      await setUnanswered(pool, connectionId, null);
    },

    async overdueMs(client) {
      const { rows } = await pool.query<{ overdue_ms: number | null }>(
        `select extract(epoch from now() - least(
                  (select min(due_at) from connection_checks where client = $1),
                  (select min(unanswered_since) from connection_checks
                    where client = $1 and unanswered_since is not null)
                ))::float8 * ${SECOND_MS} as overdue_ms`,
        [client],
      );
      return Math.max(0, rows[0]?.overdue_ms ?? 0);
    },
  };
}

export const checkTable = (tx: pg.ClientBase): CheckTable => ({
  async add(connectionId, client, dueInMs) {
    await tx.query(
      `insert into connection_checks (connection_id, client, due_at)
       values ($1, $2, now() + make_interval(secs => $3))`,
      [connectionId, client, dueInMs / SECOND_MS],
    );
  },

  async suspect(connectionId) {
    const { rowCount } = await tx.query(
      'update connection_checks set suspected = true, due_at = now() where connection_id = $1',
      [connectionId],
    );
    return rowCount === 1;
  },
});

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

function leading({ pool, monotonicMs }: ChecksOptions): Checks['lead'] {
  const options = { table: 'sweeps', key: 'client', keyType: 'text', expiryMs: LEAD_MS } as const;
  const sweeps = leaseTable<ClientName>({ pool, ...options });
  let led: ReadonlySet<ClientName> = new Set();
  let askedAtMs = -Infinity;
  return async (clients) => {
    const nowMs = monotonicMs();
    if (nowMs - askedAtMs < LED_MS) return led;
    led = new Set((await sweeps.hold(clients)).map(({ key }) => key));
    askedAtMs = nowMs;
    return led;
  };
}

type DueRow = CredentialRow & {
  readonly user_id: string;
  readonly identity_provider: string;
  readonly provider: Provider;
  readonly suspected: boolean;
  readonly due_since: Date;
  readonly was_unanswered: boolean;
  readonly answer_lost: boolean;
};

async function claim(
  { pool, vault }: ChecksOptions,
  which: string,
  limit: number,
  againInMs: number,
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
     returning c.connection_id, c.user_id, c.identity_provider, c.provider, k.suspected, due.due_since,
               k.unanswered_since is not null as was_unanswered, t.key_subject,
               t.credential_version, t.access_token, t.refresh_token,
               -- A holder that let its lease pass may have sent a refresh.
               (t.answer_lost or t.lease_until <= now()) is true as answer_lost`,
    [againInMs / SECOND_MS, ...values],
  );
  return rows.map((row) => dueCheck(row, vault));
}

function dueCheck(row: DueRow, vault: Vault): DueCheck {
  const connection: CheckedConnection = {
    connectionId: row.connection_id,
    userId: row.user_id,
    identityProvider: row.identity_provider,
    provider: row.provider,
    credentialVersion: row.credential_version,
  };
  return {
    ...connection,
    suspected: row.suspected,
    dueSince: row.due_since,
    wasUnanswered: row.was_unanswered,
    async token() {
      // After an answer that was lost the refresh token may be inactive because there is a newer one, and
      // proving it would use the old one twice. The access token is inactive when the grant is.
      const refreshToken = row.answer_lost
        ? undefined
        : await openToken(vault, row, 'refresh_token');
      if (refreshToken !== undefined) return revocableOf({ refreshToken });
      return revocableOf({ accessToken: await openToken(vault, row, 'access_token') });
    },
  };
}
