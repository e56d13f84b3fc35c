import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { Lease, Refreshed } from '../../../application/refreshing/ports.js';
import { versionColumns } from '../sealed-tokens.js';

/** Users see in their history what happened in these days. */
const KEPT_FOR = `interval '90 days'`;
const PURGE_MAX = 1_000;

/** Refreshes that worked: histories and the latest scopes are read from them. */
export const refreshTable = (tx: Queryable) => ({
  /** Tells whether the tokens of this lease were saved, when the answer to a commit was lost. */
  async isSaved({ connectionId, credentialVersion, owner }: Lease) {
    const { rowCount } = await findSaved(tx, {
      connection_id: connectionId,
      credential_version: credentialVersion + 1,
      lease_owner: owner,
    });
    return rowCount === 1;
  },
});

interface Saving {
  readonly vault: Vault;
  readonly db: Queryable;
  /** Transaction in which the events of this refresh were appended. Absent: the statement is the transaction. */
  readonly tx?: pg.ClientBase;
}

/**
 * Stores the next version of credentials as a refresh, in the user's turn, and ends the lease. False: the credentials
 * are gone or have another version; or, without `tx`, refreshes failed before, so that there may be an event to append.
 */
export async function saveRefreshed(
  { vault, db, tx }: Saving,
  { lease, scopes, ...credential }: Refreshed,
): Promise<boolean> {
  const { rowCount } = await storeRefreshed(db, {
    ...(await versionColumns(vault, tx, lease.consent, credential)),
    user_id: lease.userId,
    lease_owner: lease.owner,
    granted_scopes: scopes.grantedScopes,
    missing_scopes: scopes.missingScopes,
    is_recorded: tx !== undefined,
  });
  return rowCount === 1;
}

// Every condition is on the row that is updated, so that each is checked on what the turn before has left there.
const storeRefreshed = statement(
  `
with turn as materialized (select pg_advisory_xact_lock(hashtextextended(:user_id, 0))),
stored as (
  update credentials k
     set credential_version = :credential_version, issued_at = :issued_at, expires_at = :expires_at,
         refresh_at = :refresh_at, access_token = :access_token, refresh_token = :refresh_token,
         refresh_token_hash = :refresh_token_hash, refresh_prefix_hash = :refresh_prefix_hash,
         lease_owner = null, lease_until = null, failures = 0, next_attempt_at = null,
         answer_lost = false, unclear_since = null
    from turn
   where connection_id = :connection_id and key_subject = :key_subject
     and k.credential_version = :credential_version - 1 and (failures = 0 or :is_recorded)
  returning connection_id)
insert into refreshes (connection_id, credential_version, lease_owner, at, expires_at, granted_scopes,
                       missing_scopes)
select connection_id, :credential_version, :lease_owner, :issued_at, :expires_at, :granted_scopes,
       :missing_scopes
  from stored`,
  'integrations_store_refreshed',
);

/** Deletes old ones, a bounded number at a time. The newest of a connection says when it was refreshed last. */
export const purgeRefreshes = async (db: Queryable): Promise<void> => void (await purge(db));

const findSaved = statement(`
select from refreshes
 where connection_id = :connection_id and credential_version = :credential_version
   and lease_owner = :lease_owner`);

const purge = statement(`
delete from refreshes where (connection_id, credential_version) in (
  select connection_id, credential_version from refreshes old
   where at < now() - ${KEPT_FOR}
     and exists (select from refreshes
                  where connection_id = old.connection_id
                    and credential_version > old.credential_version)
   limit ${PURGE_MAX} for update skip locked)`);
