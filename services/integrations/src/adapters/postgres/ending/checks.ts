import { leaseTable } from '@junction/eventsourcing/leases';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { Checks, DueCheck } from '../../../application/ending/ports.js';
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
  const { pool, vault } = options;
  return {
    lead: leading(options),

    async claimDue(client, limit, againInMs) {
      const { rows } = await claimDue(pool, { client, limit, again_in_s: againInMs / SECOND_MS });
      return rows.map((row) => dueCheck(row, vault));
    },

    async claimSuspected(except, againInMs) {
      const { rows } = await claimSuspected(pool, {
        except,
        limit: SUSPECTED_MAX,
        again_in_s: againInMs / SECOND_MS,
      });
      return rows.map((row) => dueCheck(row, vault));
    },

    async giveBack(checks) {
      await makeDue(pool, { connection_ids: checks.map(({ connectionId }) => connectionId) });
    },

    async confirm(connectionId, againInMs) {
      await confirm(pool, { connection_id: connectionId, again_in_s: againInMs / SECOND_MS });
    },

    async leaveUnanswered({ connectionId, dueSince }) {
      await setUnanswered(pool, { connection_id: connectionId, since: dueSince });
    },

    async answered({ connectionId }) {
      await setUnanswered(pool, { connection_id: connectionId, since: null });
    },

    async overdueMs(client) {
      const { rows } = await readOverdue(pool, { client });
      return Math.max(0, (rows[0]?.overdue_s ?? 0) * SECOND_MS);
    },
  };
}

export const checkTable = (tx: Queryable) => ({
  /** Adds the check of new credentials, due for the first time in `dueInMs`. */
  async add(connectionId: string, client: ClientName, dueInMs: number) {
    await insertCheck(tx, { connection_id: connectionId, client, due_in_s: dueInMs / SECOND_MS });
  },

  /** Has the provider asked at once. Returns false when the connection has no credentials to ask about. */
  async suspect(connectionId: string) {
    const { rowCount } = await suspect(tx, { connection_id: connectionId });
    return rowCount === 1;
  },
});

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

const dueCheck = (row: DueRow, vault: Vault): DueCheck => ({
  connectionId: row.connection_id,
  userId: row.user_id,
  identityProvider: row.identity_provider,
  provider: row.provider,
  credentialVersion: row.credential_version,
  suspected: row.suspected,
  dueSince: row.due_since,
  wasUnanswered: row.was_unanswered,
  answerLost: row.answer_lost,
  open: async (token) => openToken(vault, row, token),
});

const claim = (which: string) =>
  statement<DueRow>(`
with due as materialized (
  select connection_id, coalesce(unanswered_since, due_at) as due_since
    from connection_checks
   where ${which} and due_at <= now() order by due_at limit :limit
     for update skip locked)
update connection_checks k set due_at = now() + make_interval(secs => :again_in_s)
  from due join connections c using (connection_id) join credentials t using (connection_id)
 where k.connection_id = due.connection_id
returning c.connection_id, c.user_id, c.identity_provider, c.provider, k.suspected, due.due_since,
          k.unanswered_since is not null as was_unanswered, t.key_subject,
          t.credential_version, t.access_token, t.refresh_token,
          -- A holder that let its lease pass may have sent a refresh.
          (t.answer_lost or t.lease_until <= now()) is true as answer_lost`);

const claimDue = claim('client = :client and not suspected');
const claimSuspected = claim('suspected and client <> all (:except)');

const makeDue = statement(
  'update connection_checks set due_at = now() where connection_id = any (:connection_ids)',
);

const confirm = statement(`
update connection_checks
   set suspected = false, unanswered_since = null,
       due_at = now() + make_interval(secs => :again_in_s)
 where connection_id = :connection_id`);

const setUnanswered = statement(
  'update connection_checks set unanswered_since = :since where connection_id = :connection_id',
);

const readOverdue = statement<{ overdue_s: number | null }>(`
select extract(epoch from now() - least(
         (select min(due_at) from connection_checks where client = :client),
         (select min(unanswered_since) from connection_checks
           where client = :client and unanswered_since is not null)
       ))::float8 as overdue_s`);

const insertCheck = statement(`
insert into connection_checks (connection_id, client, due_at)
values (:connection_id, :client, now() + make_interval(secs => :due_in_s))`);

const suspect = statement(
  'update connection_checks set suspected = true, due_at = now() where connection_id = :connection_id',
);
