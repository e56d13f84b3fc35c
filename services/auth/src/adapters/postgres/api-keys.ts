import type { PostgresEventStore } from '@junction/eventsourcing-postgres';
import { ShreddedError } from '@junction/vault';
import type pg from 'pg';
import type { ApiKeyRow, ApiKeys } from '../../application/api-key/ports.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { isOwnerGone } from './violation.js';

const LIST_MAX = 1_000;
const COLUMNS = `key_id as "keyId", user_id as "userId", name, scopes,
  created_at as "createdAt", expires_at as "expiresAt"`;

export const postgresApiKeys = (pool: pg.Pool, store: PostgresEventStore<AuthEvent>): ApiKeys => ({
  async create(append, { keyId, userId, secretHash }, max) {
    try {
      await store.transact([append], {}, async (tx) => {
        if ((await countOneByOne(tx, userId)) > max) throw new TooManyError();
        await tx.query('insert into api_key_secrets (key_id, secret_hash) values ($1, $2)', [
          keyId,
          secretHash,
        ]);
      });
      return 'created';
    } catch (error) {
      if (error instanceof TooManyError) return 'too_many';
      // Gone before the name of the key was sealed, or between that and the key's row.
      if (error instanceof ShreddedError || isOwnerGone(error, 'api_keys_user_id_fkey')) {
        return 'user_is_gone';
      }
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

/** Rolls back the key that would have been one too many. */
class TooManyError extends Error {}

/** The keys of a user, the new one included. Whoever counts waits for the one who counted before. */
async function countOneByOne(tx: pg.ClientBase, userId: string): Promise<number> {
  await tx.query('select from users where user_id = $1 for no key update', [userId]);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::integer as count from api_keys where user_id = $1',
    [userId],
  );
  return rows[0]?.count ?? 0;
}
