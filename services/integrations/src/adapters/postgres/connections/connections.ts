import { camelCased } from '@junction/contracts';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type {
  ConnectedAccount,
  SelectedConnection,
} from '../../../application/connections/ports.js';
import type { Client, Provider } from '../../../domain/connection/events.js';
import type { Subject } from '../../../domain/security-event.js';
import { PRIMARY_FIRST, SELECT_CONNECTIONS } from '../connection-select.js';
import { doubleSha512 } from '../refresh-token-index.js';

/** Most connections that are read: more than there are users who connected one account. */
const STANDING_MAX = 100;

export const postgresConnections = (db: Queryable) => ({
  ofKind: connectionTable(db).ofKind,
  get: connectionTable(db).get,

  /**
   * Returns some connections that have tokens, of any user: of this account at this client, or of any account there
   * when the account is not known.
   */
  async standing({ identityProvider, provider }: Client, accountId: string | undefined) {
    const { rows } = await standingConnections(db, {
      identity_provider: identityProvider,
      provider,
      account_id: accountId ?? null,
    });
    return rows.map((row) => ({ connectionId: row.connection_id, userId: row.user_id }));
  },
});

export const connectionTable = (db: Queryable) => ({
  async find({ userId, identityProvider, provider, accountId }: ConnectedAccount) {
    const { rows } = await findConnection(db, {
      user_id: userId,
      identity_provider: identityProvider,
      provider,
      account_id: accountId,
    });
    return rows.map(camelCased)[0];
  },

  /** Returns the connections of a kind, the primary connection first. */
  async ofKind(userId: string, provider: Provider) {
    const { rows } = await connectionsOfKind(db, { user_id: userId, provider });
    return rows.map(camelCased);
  },

  async get(connectionId: string) {
    const { rows } = await getConnection(db, { connection_id: connectionId });
    return rows.map(camelCased)[0];
  },

  /** Returns the connections with this account or refresh token, of one user or of all, in order of their users. */
  async ofSubject({ identityProvider, provider }: Client, { by, value }: Subject, userId?: string) {
    const { rows } = await OF_SUBJECT[by](db, {
      identity_provider: identityProvider,
      provider,
      named: by === 'token_prefix' ? doubleSha512(value) : value,
      user_id: userId ?? null,
    });
    return rows.map(camelCased);
  },

  async ofUsers(userIds: readonly string[]) {
    const { rows } = await connectionsOfUsers(db, { user_ids: userIds });
    return rows.map(camelCased);
  },
});

const connectionsOfKind = statement<SelectedConnection>(
  `${SELECT_CONNECTIONS} where c.user_id = :user_id and c.provider = :provider order by ${PRIMARY_FIRST}`,
  'connections_of_kind',
);

const connectionsOfUsers = statement<SelectedConnection>(
  `${SELECT_CONNECTIONS} where user_id = any (:user_ids) order by c.connection_id`,
);

const findConnection = statement<SelectedConnection>(
  `${SELECT_CONNECTIONS}
    where c.user_id = :user_id and c.provider = :provider
      and c.identity_provider = :identity_provider and c.account_id = :account_id`,
);

const getConnection = statement<SelectedConnection>(
  `${SELECT_CONNECTIONS} where c.connection_id = :connection_id`,
);

const standingConnections = statement<Pick<SelectedConnection, 'connection_id' | 'user_id'>>(
  `select c.connection_id, c.user_id from connections c join credentials k using (connection_id)
    where c.identity_provider = :identity_provider and c.provider = :provider
      and c.account_id = coalesce(:account_id, c.account_id)
    limit ${STANDING_MAX}`,
);

const ofSubject = (column: string) =>
  statement<SelectedConnection>(
    `${SELECT_CONNECTIONS} left join credentials k on k.connection_id = c.connection_id
      where c.identity_provider = :identity_provider and c.provider = :provider and ${column} = :named
        and c.user_id = coalesce(:user_id, c.user_id)
      order by c.user_id`,
  );

const OF_SUBJECT: Readonly<Record<Subject['by'], typeof getConnection>> = {
  account: ofSubject('c.account_id'),
  token_hash: ofSubject('k.refresh_token_hash'),
  token_prefix: ofSubject('k.refresh_prefix_hash'),
};
