import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { ConnectionRecord, Connections } from '../../../application/ports.js';
import type { ConnectionTable } from '../../../application/unit-of-work.js';
import type { Subject } from '../../../domain/security-event.js';
import { PRIMARY_FIRST, SELECT_CONNECTIONS } from '../connection-select.js';
import { doubleSha512 } from '../refresh-token-index.js';
import { currentConnections } from '../vending/current-connections.js';

/** Most connections that are read: more than there are users who connected one account. */
const STANDING_MAX = 100;

type Queryable = Pick<pg.ClientBase, 'query'>;

export const postgresConnections = (pool: pg.Pool, vault: Vault): Connections => ({
  async list(userId) {
    const { rows } = await pool.query<ConnectionRecord>({
      name: 'connections_of_user',
      text: `${SELECT_CONNECTIONS} where user_id = $1 order by provider desc, ${PRIMARY_FIRST}`,
      values: [userId],
    });
    return rows;
  },

  ofKind: connectionTable(pool).ofKind,
  get: connectionTable(pool).get,

  async standing({ identityProvider, provider }, accountId) {
    const { rows } = await pool.query<Pick<ConnectionRecord, 'connection_id' | 'user_id'>>(
      `select c.connection_id, c.user_id from connections c join credentials k using (connection_id)
        where c.identity_provider = $1 and c.provider = $2
          and c.account_id = coalesce($3, c.account_id)
        limit ${STANDING_MAX}`,
      [identityProvider, provider, accountId],
    );
    return rows.map(({ connection_id: connectionId, user_id: userId }) => ({
      connectionId,
      userId,
    }));
  },

  current: currentConnections(pool, vault),
});

export const connectionTable = (db: Queryable): ConnectionTable => ({
  async find({ userId, identityProvider, provider, accountId }) {
    const { rows } = await db.query<ConnectionRecord>(
      `${SELECT_CONNECTIONS} where c.user_id = $1 and c.provider = $2
          and c.identity_provider = $3 and c.account_id = $4`,
      [userId, provider, identityProvider, accountId],
    );
    return rows[0];
  },

  async ofKind(userId, provider) {
    const { rows } = await db.query<ConnectionRecord>({
      name: 'connections_of_kind',
      text: `${SELECT_CONNECTIONS} where c.user_id = $1 and c.provider = $2 order by ${PRIMARY_FIRST}`,
      values: [userId, provider],
    });
    return rows;
  },

  async get(connectionId) {
    const { rows } = await db.query<ConnectionRecord>(
      `${SELECT_CONNECTIONS} where c.connection_id = $1`,
      [connectionId],
    );
    return rows[0];
  },

  async ofSubject({ identityProvider, provider }, { by, value }, userId) {
    const named = by === 'token_prefix' ? doubleSha512(value) : value;
    const { rows } = await db.query<ConnectionRecord>(
      `${SELECT_CONNECTIONS} left join credentials k on k.connection_id = c.connection_id
        where c.identity_provider = $1 and c.provider = $2 and ${NAMED_BY[by]} = $3
          and c.user_id = coalesce($4, c.user_id)
        order by c.user_id`,
      [identityProvider, provider, named, userId],
    );
    return rows;
  },

  async ofUsers(userIds) {
    const { rows } = await db.query<ConnectionRecord>(
      `${SELECT_CONNECTIONS} where user_id = any ($1) order by c.connection_id`,
      [userIds],
    );
    return rows;
  },
});

const NAMED_BY: Readonly<Record<Subject['by'], string>> = {
  account: 'c.account_id',
  token_hash: 'k.refresh_token_hash',
  token_prefix: 'k.refresh_prefix_hash',
};
