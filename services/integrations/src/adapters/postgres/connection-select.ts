/** The latest refresh since the last connect of `c`, if there is one. */
export const LATEST_REFRESH = `
  left join lateral (
    select credential_version, granted_scopes, missing_scopes, at from refreshes
     where connection_id = c.connection_id and credential_version > c.credential_version
     order by credential_version desc limit 1) r on true`;

const primaryFirst = (c: string): string =>
  `${c}.status in ('revoked', 'disconnected'), ${c}.primary_at desc nulls last, ${c}.connection_id`;

/**
 * Orders the connections `c` of a user and kind: first the standing connection that was made primary last, then the
 * others in the order in which they were first connected.
 */
export const PRIMARY_FIRST = primaryFirst('c');

/** Connections as they are now: what the latest refresh changed comes before what the connect brought. */
export const SELECT_CONNECTIONS = `
  select c.connection_id, c.user_id, c.identity_provider, c.provider, c.status, c.status_reason,
         coalesce(r.credential_version, c.credential_version) as credential_version,
         coalesce(r.granted_scopes, c.granted_scopes) as granted_scopes,
         coalesce(r.missing_scopes, c.missing_scopes) as missing_scopes,
         c.account, c.account_id, c.renewable, c.connected_at, c.provider_revocation, c.primary_at,
         c.version, r.at as last_refreshed_at,
         c.connection_id = (
           select p.connection_id from connections p
            where p.user_id = c.user_id and p.provider = c.provider
            order by ${primaryFirst('p')} limit 1) as is_primary
    from connections c ${LATEST_REFRESH}`;
