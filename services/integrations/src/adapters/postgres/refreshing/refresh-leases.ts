import { randomUUID } from 'node:crypto';
import { batcher } from '@junction/async';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import { type DataKeyRow, ShreddedError, type Vault, VaultError } from '@junction/vault';
import type { SelectedConnection } from '../../../application/connections/ports.js';
import type {
  Lease,
  LeaseAnswer,
  LeaseEnd,
  RefreshLeases,
} from '../../../application/refreshing/ports.js';
import { SELECT_CONNECTIONS } from '../connection-select.js';
import { type CredentialRow, openTokenWith } from '../sealed-tokens.js';
import { saveRefreshed } from './refreshes.js';

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
/** Statements under way at a time; leases that are asked for meanwhile share the next one. */
const STATEMENTS_AT_ONCE = 2;
const TOGETHER_MAX = 100;

export interface RefreshLeasesOptions {
  readonly pool: Queryable;
  readonly vault: Vault;
  readonly monotonicMs: () => number;
  /** Called after tokens were saved without an event: the moment to tell whoever shows when they were refreshed. */
  readonly afterRefresh: () => void;
}

/** Returns the leases that decide which replica may refresh, by the clock of the database. */
export function postgresLeases(options: RefreshLeasesOptions): RefreshLeases {
  const { pool, vault, monotonicMs, afterRefresh } = options;
  const take = batcher<Asked, LeasedRow | undefined>({
    concurrency: STATEMENTS_AT_ONCE,
    sizeMax: TOGETHER_MAX,
    process: async (asked) => takeAll(pool, asked),
  });
  return {
    async acquire(connectionId, version) {
      const beganAtMs = monotonicMs();
      const row = await take({ connectionId, version });
      if (row === undefined) return leaseRefusal(pool, connectionId, version);
      return opened(vault, row, beganAtMs);
    },

    async save(refreshed) {
      const isSaved = await saveRefreshed({ vault, db: pool }, refreshed);
      if (isSaved) afterRefresh();
      return isSaved;
    },

    async release(lease, backoffMs) {
      const nothing = { failures: 0, answerLost: false, unclear: false } as const;
      await endLeases(pool, [{ lease, backoffMs, ...nothing }]);
    },
  };
}

/** Ends leases. Without effect on a lease that has passed on. */
export async function endLeases(db: Queryable, ends: readonly LeaseEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await endHeld(db, {
    connection_ids: ends.map(({ lease }) => lease.connectionId),
    owners: ends.map(({ lease }) => lease.owner),
    failures: ends.map((end) => end.failures),
    backoffs_s: ends.map((end) => end.backoffMs / SECOND_MS),
    answers_lost: ends.map((end) => end.answerLost),
    unclear: ends.map((end) => end.unclear),
  });
}

const endHeld = statement(`
update credentials k
   set lease_owner = null, lease_until = null, failures = k.failures + e.failures,
       answer_lost = k.answer_lost or e.answer_lost,
       unclear_since = case when e.unclear then coalesce(unclear_since, now()) else unclear_since end,
       next_attempt_at = case when e.backoff_s > 0
                              then now() + make_interval(secs => e.backoff_s) end,
       refresh_at = case when e.backoff_s > 0
                         then now() + make_interval(secs => e.backoff_s) else refresh_at end
  from unnest(:connection_ids::text[], :owners::uuid[], :failures::integer[], :backoffs_s::float8[],
              :answers_lost::boolean[], :unclear::boolean[])
         as e (connection_id, owner, failures, backoff_s, answer_lost, unclear)
 where k.connection_id = e.connection_id and k.lease_owner = e.owner`);

interface Asked {
  readonly connectionId: string;
  readonly version: number;
}

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
    readonly n: number;
    readonly lease_owner: string;
    readonly expires_at: Date;
    readonly failures: number;
    readonly answer_lost: boolean;
    readonly unclear_since: Date | null;
    readonly has_data_key: boolean;
    readonly wrapped: DataKeyRow['wrapped'];
  };

// A locked row is in other hands: it is not waited for, so that nobody waits in a circle. The limits make each join a
// look-up by its key, whatever the statistics say of the tables.
const takeLeases = statement<LeasedRow>(
  `
with free as materialized (
  select n, owner, k.*
    from unnest(:connection_ids::text[], :versions::integer[], :owners::uuid[])
           with ordinality as a (connection_id, version, owner, n)
   cross join lateral (
     select connection_id, key_subject from credentials
      where connection_id = a.connection_id and credential_version = a.version
        and (lease_until is null or lease_until <= now())
        and (next_attempt_at is null or next_attempt_at <= now())
        for update skip locked) k)
update credentials k
   set lease_owner = free.owner, lease_until = now() + interval '${LEASE_S} seconds',
       -- A holder that let its lease pass may have sent a refresh.
       answer_lost = k.answer_lost or k.lease_until is not null
  from free
 cross join lateral (
   ${SELECT_CONNECTIONS} where c.connection_id = free.connection_id limit 1) c
  left join lateral (
   select subject, wrapped from data_keys where subject = free.key_subject limit 1) d on true
 where k.connection_id = free.connection_id
returning free.n::integer, k.lease_owner, k.connection_id, k.key_subject, k.credential_version, k.access_token,
          k.refresh_token, k.expires_at, k.failures, k.answer_lost, k.unclear_since,
          c.user_id, c.identity_provider, c.provider, c.account_id, c.granted_scopes, c.missing_scopes,
          d.subject is not null as has_data_key, d.wrapped`,
  'integrations_take_leases',
);

/** Takes leases, in the order of those who ask; none for one who asks in vain. */
async function takeAll(
  pool: Queryable,
  asked: readonly Asked[],
): Promise<readonly (LeasedRow | undefined)[]> {
  const { rows } = await takeLeases(pool, {
    connection_ids: asked.map(({ connectionId }) => connectionId),
    versions: asked.map(({ version }) => version),
    owners: asked.map(() => randomUUID()),
  });
  const taken = new Map(rows.map((row) => [row.n - 1, row]));
  return asked.map((_, n) => taken.get(n));
}

function opened(vault: Vault, row: LeasedRow, beganAtMs: number): LeaseAnswer {
  const { refresh_token: sealed, has_data_key, wrapped } = row;
  const dataKey = has_data_key ? { wrapped } : undefined;
  const lease = leaseOf(row, beganAtMs);
  try {
    const refreshToken =
      sealed === null ? undefined : openTokenWith(vault, dataKey, row, 'refresh_token', sealed);
    return { kind: 'ours', lease: { ...lease, refreshToken } };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { kind: 'unreadable', lease: { ...lease, refreshToken: undefined } };
  }
}

/**
 * Tells whether tokens are unreadable for good: a key that is missing from the ring can be put back. A row whose key
 * was destroyed would have gone with it, and was changed.
 */
const isUnreadable = (error: unknown): boolean =>
  error instanceof ShreddedError || (error instanceof VaultError && error.code !== 'unknown_key');

const leaseOf = (row: LeasedRow, beganAtMs: number): Omit<Lease, 'refreshToken'> => ({
  owner: row.lease_owner,
  connectionId: row.connection_id,
  userId: row.user_id,
  identityProvider: row.identity_provider,
  provider: row.provider,
  sendUntilMs: beganAtMs + SEND_WITHIN_MS,
  saveUntilMs: beganAtMs + LEASE_S * SECOND_MS - SAVED_BEFORE_END_MS,
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
