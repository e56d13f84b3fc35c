import { type EventStore, retryWhenMoved } from '@junction/eventsourcing';
import { inTurn, type PostgresEventStore } from '@junction/eventsourcing-postgres';
import { ShreddedError } from '@junction/vault';
import type pg from 'pg';
import type {
  ApiKeyRow,
  ApiKeySecret,
  ApiKeys,
  NewSecret,
} from '../../application/api-key/ports.js';
import type { ApiKeyEvent } from '../../domain/api-key/events.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { lockWithSession } from './live-session.js';
import { isOwnerGone } from './violation.js';

const LIST_MAX = 1_000;
const COLUMNS = `key_id as "keyId", user_id as "userId", name, scopes,
  created_at as "createdAt", expires_at as "expiresAt",
  previous_valid_until as "previousValidUntil", last_used_at as "lastUsedAt"`;
const TABLES = 'api_keys left join api_key_uses using (key_id)';
/** A use within so long after the one that is written is not written. */
const USES_APART = "interval '1 minute'";

export const postgresApiKeys = (pool: pg.Pool, store: PostgresEventStore<AuthEvent>): ApiKeys => ({
  ...uses(pool),

  async create(append, { keyId, userId, secretHash, sessionId }, max) {
    const insert = async (tx: pg.ClientBase) => {
      await lockWithSession(tx, userId, sessionId);
      if ((await countOf(tx, userId)) > max) throw new TooManyError();
      await insertSecret(tx, { keyId, version: 1, secretHash });
    };
    try {
      await inTurn(userId, () => store.transact([append], {}, insert));
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

  async rotate(streamId, decide, secret) {
    // A stream holds the events of its own aggregate only, so a narrower view of the store is safe.
    const keys = store as unknown as EventStore<ApiKeyEvent>;
    const rotate = async () => {
      const { history, version } = await keys.load(streamId);
      const events = decide(history);
      await store.transact([{ streamId, expected: version, events }], {}, async (tx) => {
        for (const event of events) await replaceSecret(tx, event, secret);
      });
    };
    await inTurn(streamId, () => retryWhenMoved(rotate));
  },

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

/** The secret before the last one ends, the last one ends later, and the new one begins. */
async function replaceSecret(
  tx: pg.ClientBase,
  { type, data }: ApiKeyEvent,
  { secretHash, sessionId }: NewSecret,
): Promise<void> {
  if (type !== 'api_key.rotated') return;
  await lockWithSession(tx, data.userId, sessionId);
  const { keyId, secretVersion, previousValidUntil } = data;
  await tx.query('delete from api_key_secrets where key_id = $1 and secret_version < $2', [
    keyId,
    secretVersion - 1,
  ]);
  await tx.query('update api_key_secrets set valid_until = $2 where key_id = $1', [
    keyId,
    previousValidUntil,
  ]);
  await insertSecret(tx, { keyId, version: secretVersion, secretHash });
}

const insertSecret = (
  tx: pg.ClientBase,
  { keyId, version, secretHash }: { keyId: string; version: number; secretHash: Buffer },
) =>
  tx.query(
    'insert into api_key_secrets (key_id, secret_version, secret_hash) values ($1, $2, $3)',
    [keyId, version, secretHash],
  );

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

/** Rolls back the key that would have been one too many. */
class TooManyError extends Error {}

/**
 * Counts the keys of a user, the new key included. The user's row is locked, so that each count sees the key of the
 * count before.
 */
async function countOf(tx: pg.ClientBase, userId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::integer as count from api_keys where user_id = $1',
    [userId],
  );
  return rows[0]?.count ?? 0;
}
