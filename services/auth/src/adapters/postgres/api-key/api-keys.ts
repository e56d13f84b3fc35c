import type pg from 'pg';
import type {
  ApiKeyRow,
  ApiKeySecret,
  ApiKeys,
  ApiKeyTable,
  OwnedApiKey,
} from '../../../application/api-key/ports.js';

const LIST_MAX = 1_000;
const COLUMNS = `key_id as "keyId", user_id as "userId", name, scopes,
  created_at as "createdAt", expires_at as "expiresAt",
  previous_valid_until as "previousValidUntil", last_used_at as "lastUsedAt"`;
const TABLES = 'api_keys left join api_key_uses using (key_id)';
/** A use within so long after the one that is written is not written. */
const USES_APART = "interval '1 minute'";

export const postgresApiKeys = (pool: pg.Pool): ApiKeys => ({
  ...uses(pool),

  async list(userId) {
    const { rows } = await pool.query<ApiKeyRow>(
      `select ${COLUMNS} from ${TABLES} where user_id = $1
        order by created_at desc, key_id desc limit ${LIST_MAX}`,
      [userId],
    );
    return rows;
  },

  async findWithSecrets(keyId) {
    const { rows } = await pool.query<ApiKeyRow & ApiKeySecret>({
      name: 'auth/find-api-key',
      text: `select ${COLUMNS}, secret_version as version, secret_hash as hash, valid_until as "validUntil"
               from ${TABLES} join api_key_secrets using (key_id) where key_id = $1`,
      values: [keyId],
    });
    const [key] = rows;
    return key && { key, secrets: rows };
  },
});

export const apiKeyTable = (tx: pg.ClientBase): ApiKeyTable => ({
  async ofUser(userId) {
    const { rows } = await tx.query<OwnedApiKey>(
      'select key_id as "keyId", version from api_keys where user_id = $1',
      [userId],
    );
    return rows;
  },

  addSecret: async (keyId, secretHash) => insertSecret(tx, keyId, 1, secretHash),

  async rotateSecret({ keyId, secretVersion, previousValidUntil, secretHash }) {
    await tx.query('delete from api_key_secrets where key_id = $1 and secret_version < $2', [
      keyId,
      secretVersion - 1,
    ]);
    await tx.query('update api_key_secrets set valid_until = $2 where key_id = $1', [
      keyId,
      previousValidUntil,
    ]);
    await insertSecret(tx, keyId, secretVersion, secretHash);
  },
});

async function insertSecret(
  tx: pg.ClientBase,
  ...secret: readonly [keyId: string, version: number, secretHash: Buffer]
): Promise<void> {
  await tx.query(
    'insert into api_key_secrets (key_id, secret_version, secret_hash) values ($1, $2, $3)',
    [...secret],
  );
}

/** Uses are gathered and written together. Those of a process that is killed before are forgotten. */
function uses(pool: pg.Pool): Pick<ApiKeys, 'used' | 'writeUses'> {
  let unwritten = new Map<string, Date>();
  return {
    used: (keyId, at) => void unwritten.set(keyId, at),

    async writeUses() {
      if (unwritten.size === 0) return;
      const writing = unwritten;
      unwritten = new Map();
      await pool.query(
        `insert into api_key_uses as u (key_id, last_used_at)
         select key_id, at from unnest($1::text[], $2::timestamptz[]) used (key_id, at)
           join api_keys using (key_id)
          order by key_id
         on conflict (key_id) do update set last_used_at = excluded.last_used_at
          where u.last_used_at <= excluded.last_used_at - ${USES_APART}`,
        [[...writing.keys()], [...writing.values()]],
      );
    },
  };
}
