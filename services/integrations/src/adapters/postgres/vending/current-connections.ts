import { batcher } from '@junction/async';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type { DataKeyRow, Vault } from '@junction/vault';
import type { CurrentConnection, CurrentCredential } from '../../../application/vending/ports.js';
import type { Provider } from '../../../domain/connection/events.js';
import type { ConnectionRow } from '../../../projections/connection-row.js';
import { LATEST_REFRESH, PRIMARY_FIRST } from '../connection-select.js';
import { openTokenWith } from '../sealed-tokens.js';

/** Reads under way at a time; calls that come meanwhile share the next statement. */
const READS_AT_ONCE = 2;
const READ_MAX = 200;

interface Lookup {
  readonly userId: string;
  readonly provider: Provider;
  /** Id of the connection; undefined: the primary connection. */
  readonly connectionId: string | undefined;
}

type CurrentRow = Pick<
  ConnectionRow,
  | 'connection_id'
  | 'identity_provider'
  | 'provider'
  | 'status'
  | 'granted_scopes'
  | 'credential_version'
> &
  (CurrentCredentialRow | { readonly key_subject: null }) & { readonly is_refreshed: boolean };

interface CurrentCredentialRow extends Pick<DataKeyRow, 'wrapped'> {
  readonly key_subject: string;
  readonly access_token: Buffer;
  readonly issued_at: Date;
  readonly expires_at: Date;
  readonly answer_lost: boolean;
  /** Whether there is a row of its data key. */
  readonly has_data_key: boolean;
}

/**
 * Connections as they are now, with their credentials and data keys. Each call is answered by a statement that
 * began after it, so it sees every disconnect that was answered before; calls that come together share one.
 */
export function currentConnections(db: Queryable, vault: Vault) {
  const read = batcher<Lookup, CurrentRow | undefined>({
    concurrency: READS_AT_ONCE,
    sizeMax: READ_MAX,
    process: async (lookups) => readCurrent(db, lookups),
  });
  return {
    /**
     * Finds this connection, or the primary connection of a kind, with its token. Reads the tables each time, so that
     * an ended connection is ended for the next caller.
     */
    async find(userId: string, provider: Provider, connectionId?: string) {
      const row = await read({ userId, provider, connectionId });
      return row && current(row, vault);
    },
  };
}

async function readCurrent(
  db: Queryable,
  lookups: readonly Lookup[],
): Promise<readonly (CurrentRow | undefined)[]> {
  const { rows } = await findCurrent(db, {
    user_ids: lookups.map(({ userId }) => userId),
    providers: lookups.map(({ provider }) => provider),
    connection_ids: lookups.map(({ connectionId }) => connectionId),
  });
  const found = new Map(rows.map((row) => [row.n, row]));
  return lookups.map((_, index) => found.get(index + 1));
}

// The limit makes each a look-up by its key, whatever the statistics say of the tables.
const findCurrent = statement<CurrentRow & { readonly n: number }>(
  `
select n::integer, s.*
  from unnest(:user_ids::uuid[], :providers::text[], :connection_ids::text[]) with ordinality
         as a (user_id, provider, connection_id, n)
 cross join lateral (
   select c.connection_id, c.identity_provider, c.provider, c.status,
          coalesce(r.granted_scopes, c.granted_scopes) as granted_scopes,
          coalesce(r.credential_version, c.credential_version) as credential_version,
          r.credential_version is not null as is_refreshed,
          k.key_subject, k.access_token, k.issued_at, k.expires_at,
          (k.answer_lost or k.lease_until <= now()) is true as answer_lost,
          d.subject is not null as has_data_key, d.wrapped
     from connections c ${LATEST_REFRESH}
          left join credentials k on k.connection_id = c.connection_id
          left join data_keys d on d.subject = k.key_subject
    where c.user_id = a.user_id and c.provider = a.provider
      and c.connection_id = coalesce(a.connection_id, c.connection_id)
    order by ${PRIMARY_FIRST} limit 1) s`,
  'connections_current',
);

function current(row: CurrentRow, vault: Vault): CurrentConnection {
  return {
    connectionId: row.connection_id,
    identityProvider: row.identity_provider,
    provider: row.provider,
    status: row.status,
    grantedScopes: row.granted_scopes,
    credentialVersion: row.credential_version,
    isRefreshed: row.is_refreshed,
    credential: row.key_subject === null ? undefined : credentialIn(row, row, vault),
  };
}

const credentialIn = (
  {
    issued_at: issuedAt,
    expires_at: expiresAt,
    answer_lost: answerLost,
    access_token: accessToken,
    has_data_key,
    wrapped,
    ...row
  }: CurrentCredentialRow,
  of: Pick<ConnectionRow, 'connection_id' | 'credential_version'>,
  vault: Vault,
): CurrentCredential => ({
  issuedAt,
  expiresAt,
  answerLost,
  open: () => {
    const dataKey = has_data_key ? { wrapped } : undefined;
    return openTokenWith(vault, dataKey, { ...row, ...of }, 'access_token', accessToken);
  },
});
