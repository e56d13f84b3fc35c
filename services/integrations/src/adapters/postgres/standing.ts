import { batcher } from '@junction/async';
import type { DataKeyRow } from '@junction/vault';
import type pg from 'pg';
import type {
  Connections,
  StandingConnection,
  StandingCredential,
} from '../../application/needs.js';
import type { Provider } from '../../domain/connection/events.js';
import type { ConnectionRow } from '../../projections/connection-row.js';
import type { Credentials } from './credentials.js';

/** Reads under way at a time: the next ones gather meanwhile, and share a statement. */
const READS_AT_ONCE = 2;
const READ_MAX = 200;

interface Wish {
  readonly userId: string;
  readonly provider: Provider;
}

type StandingRow = Pick<
  ConnectionRow,
  'connection_id' | 'status' | 'granted_scopes' | 'credential_version'
> &
  (StandingCredentialRow | { readonly key_subject: null });

interface StandingCredentialRow extends Pick<DataKeyRow, 'wrapped'> {
  readonly key_subject: string;
  readonly access_token: Buffer;
  readonly issued_at: Date;
  readonly expires_at: Date;
  /** null: there is no row of its data key. */
  readonly generation: number | null;
}

/**
 * How connections stand, with their credentials and data keys. Each call is answered by a statement that
 * began after it, so it sees every disconnect that was answered before; calls that come together share one.
 */
export function standingConnections(
  db: Pick<pg.ClientBase, 'query'>,
  credentials: Credentials,
): Connections['standing'] {
  const read = batcher<Wish, StandingRow | undefined>({
    concurrency: READS_AT_ONCE,
    sizeMax: READ_MAX,
    process: async (wishes) => readStanding(db, wishes),
  });
  return async (userId, provider) => {
    const row = await read({ userId, provider });
    return row && standing(row, credentials);
  };
}

async function readStanding(
  db: Pick<pg.ClientBase, 'query'>,
  wishes: readonly Wish[],
): Promise<readonly (StandingRow | undefined)[]> {
  const { rows } = await db.query<StandingRow & { readonly n: number }>({
    name: 'connections_standing',
    text: STANDING,
    values: [wishes.map(({ userId }) => userId), wishes.map(({ provider }) => provider)],
  });
  const found = new Map(rows.map((row) => [row.n, row]));
  return wishes.map((_, index) => found.get(index + 1));
}

// The limit makes each a look-up by its key, whatever the statistics say of the tables.
const STANDING = `
select n::integer, s.*
  from unnest($1::uuid[], $2::text[]) with ordinality as w (user_id, provider, n)
 cross join lateral (
   select connection_id, c.status, c.granted_scopes, c.credential_version,
          k.key_subject, k.access_token, k.issued_at, k.expires_at, d.generation, d.wrapped
     from connections c
          left join credentials k using (connection_id)
          left join data_keys d on d.subject = k.key_subject
    where c.user_id = w.user_id and c.provider = w.provider
    limit 1) s`;

function standing(row: StandingRow, credentials: Credentials): StandingConnection {
  return {
    connectionId: row.connection_id,
    status: row.status,
    grantedScopes: row.granted_scopes,
    credentialVersion: row.credential_version,
    credential: row.key_subject === null ? undefined : credentialIn(row, row, credentials),
  };
}

const credentialIn = (
  {
    issued_at: issuedAt,
    expires_at: expiresAt,
    generation,
    wrapped,
    ...row
  }: StandingCredentialRow,
  of: Pick<ConnectionRow, 'connection_id' | 'credential_version'>,
  credentials: Credentials,
): StandingCredential => ({
  issuedAt,
  expiresAt,
  open: () =>
    credentials.openAccessToken(
      { ...row, ...of },
      generation === null ? undefined : { generation, wrapped },
    ),
});
