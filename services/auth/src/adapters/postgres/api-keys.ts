import type pg from 'pg';
import type { ApiKeyRow, ApiKeys } from '../../application/needs.js';
import type { AuthStore } from './auth-store.js';
import { isOwnerGone } from './violation.js';

const LIST_MAX = 1_000;
const COLUMNS = `key_id as "keyId", user_id as "userId", name, scopes, created_at as "createdAt"`;

export const postgresApiKeys = (pool: pg.Pool, store: AuthStore): ApiKeys => ({
  async count(userId) {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::integer as count from api_keys where user_id = $1',
      [userId],
    );
    return rows[0]?.count ?? 0;
  },

  async create(append, keyId, secretHash) {
    try {
      await store.transact([append], {}, async (tx) => {
        await tx.query('insert into api_key_secrets (key_id, secret_hash) values ($1, $2)', [
          keyId,
          secretHash,
        ]);
      });
      return true;
    } catch (error) {
      if (isOwnerGone(error, 'api_keys_user_id_fkey')) return false;
      throw error;
    }
  },

  async list(userId) {
    const { rows } = await pool.query<ApiKeyRow>(
      `select ${COLUMNS} from api_keys where user_id = $1
        order by created_at desc, key_id desc limit ${LIST_MAX}`,
      [userId],
    );
    return rows;
  },

  async findWithHash(keyId) {
    const { rows } = await pool.query<ApiKeyRow & { secretHash: Buffer }>({
      name: 'auth/find-api-key',
      text: `select ${COLUMNS}, secret_hash as "secretHash"
               from api_keys join api_key_secrets using (key_id) where key_id = $1`,
      values: [keyId],
    });
    const [row] = rows;
    if (!row) return undefined;
    const { secretHash, ...key } = row;
    return { key, secretHash };
  },
});
