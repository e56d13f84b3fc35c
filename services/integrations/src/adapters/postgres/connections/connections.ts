import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { ConnectionRecord, Connections } from '../../../application/ports.js';
import type { ConnectionTable } from '../../../application/unit-of-work.js';
import type { Subject } from '../../../domain/security-event.js';
import { doubleSha512 } from '../credentials/refresh-token-index.js';
import { SELECT_CONNECTIONS } from './connection-select.js';
import { currentConnections } from './current-connections.js';

type Queryable = Pick<pg.ClientBase, 'query'>;

export const postgresConnections = (pool: pg.Pool, vault: Vault): Connections => ({
  async list(userId) {
    const { rows } = await pool.query<ConnectionRecord>({
      name: 'connections_of_user',
      text: `${SELECT_CONNECTIONS} where user_id = $1 order by provider desc`,
      values: [userId],
    });
    return rows;
  },

  find: connectionTable(pool).find,
  get: connectionTable(pool).get,
  current: currentConnections(pool, vault),
});

export const connectionTable = (db: Queryable): ConnectionTable => ({
  async find(userId, provider) {
    const { rows } = await db.query<ConnectionRecord>({
      name: 'connection_of_user',
      text: `${SELECT_CONNECTIONS} where user_id = $1 and provider = $2`,
      values: [userId, provider],
    });
    return rows[0];
  },

  async get(connectionId) {
    const { rows } = await db.query<ConnectionRecord>(
      `${SELECT_CONNECTIONS} where c.connection_id = $1`,
      [connectionId],
    );
    return rows[0];
  },

  async ofSubject(provider, { by, value }, userId) {
    const named = by === 'token_prefix' ? doubleSha512(value) : value;
    const { rows } = await db.query<ConnectionRecord>(
      `${SELECT_CONNECTIONS} left join credentials k on k.connection_id = c.connection_id
        where c.provider = $1 and ${NAMED_BY[by]} = $2 and c.user_id = coalesce($3, c.user_id)
        order by c.user_id`,
      [provider, named, userId],
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
