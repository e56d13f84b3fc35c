import { namedParameters } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { RefreshTable } from '../../../application/unit-of-work.js';

/** Users see in their history what happened in these days. */
const KEPT_FOR = `interval '90 days'`;
const PURGE_MAX = 1_000;

/** Refreshes that worked: histories and the latest scopes are read from them. */
export const refreshTable = (tx: pg.ClientBase): RefreshTable => ({
  async add({ connectionId, owner }, refresh) {
    await tx.query(
      insertRefresh({
        connection_id: connectionId,
        credential_version: refresh.credentialVersion,
        lease_owner: owner,
        at: refresh.at,
        expires_at: refresh.expiresAt,
        granted_scopes: refresh.grantedScopes,
        missing_scopes: refresh.missingScopes,
      }),
    );
  },

  async isSaved({ connectionId, credentialVersion, owner }) {
    const { rowCount } = await tx.query(
      `select from refreshes
        where connection_id = $1 and credential_version = $2 and lease_owner = $3`,
      [connectionId, credentialVersion + 1, owner],
    );
    return rowCount === 1;
  },
});

const insertRefresh = namedParameters(`
insert into refreshes (connection_id, credential_version, lease_owner, at, expires_at, granted_scopes,
                       missing_scopes)
values (:connection_id, :credential_version, :lease_owner, :at, :expires_at, :granted_scopes,
        :missing_scopes)`);

/** Deletes old ones, a bounded number at a time. The newest of a connection says when it was refreshed last. */
export async function purgeRefreshes(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from refreshes where (connection_id, credential_version) in (
       select connection_id, credential_version from refreshes old
        where at < now() - ${KEPT_FOR}
          and exists (select from refreshes
                       where connection_id = old.connection_id
                         and credential_version > old.credential_version)
        limit ${PURGE_MAX} for update skip locked)`,
  );
}
