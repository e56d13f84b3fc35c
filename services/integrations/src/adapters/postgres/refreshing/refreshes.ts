import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type { RefreshTable } from '../../../application/refreshing/ports.js';

/** Users see in their history what happened in these days. */
const KEPT_FOR = `interval '90 days'`;
const PURGE_MAX = 1_000;

/** Refreshes that worked: histories and the latest scopes are read from them. */
export const refreshTable = (tx: Queryable): RefreshTable => ({
  async add({ connectionId, owner }, refresh) {
    await insertRefresh(tx, {
      connection_id: connectionId,
      credential_version: refresh.credentialVersion,
      lease_owner: owner,
      at: refresh.at,
      expires_at: refresh.expiresAt,
      granted_scopes: refresh.grantedScopes,
      missing_scopes: refresh.missingScopes,
    });
  },

  async isSaved({ connectionId, credentialVersion, owner }) {
    const { rowCount } = await findSaved(tx, {
      connection_id: connectionId,
      credential_version: credentialVersion + 1,
      lease_owner: owner,
    });
    return rowCount === 1;
  },
});

const insertRefresh = statement(`
insert into refreshes (connection_id, credential_version, lease_owner, at, expires_at, granted_scopes,
                       missing_scopes)
values (:connection_id, :credential_version, :lease_owner, :at, :expires_at, :granted_scopes,
        :missing_scopes)`);

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
