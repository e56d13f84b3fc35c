import { statement } from '@junction/eventsourcing/postgres';
import { readItem } from '@junction/service';
import type pg from 'pg';
import type {
  ApiKeySecret,
  OwnedApiKey,
  StoredApiKey,
} from '../../../application/api-key/ports.js';
import { secretTable } from '../secrets.js';
import { ownKey } from './api-key-reads.js';

/** A use within so long after the one that is written is not written. */
const USES_APART = "interval '1 minute'";

export const postgresApiKeys = (pool: pg.Pool) => ({
  ...uses(pool),

  async findWithSecrets(keyId: string) {
    const { rows } = await findKey(pool, { key_id: keyId });
    const [key] = rows;
    if (key === undefined) return undefined;
    return { ...key, secrets: rows };
  },
});

const secrets = secretTable('api_key_secrets', 'key_id');

export const apiKeyTable = (tx: pg.ClientBase) => ({
  ...secrets(tx),

  async ofUser(userId: string) {
    return (await ownedKeys(tx, { user_id: userId })).rows;
  },

  /** Returns a key as its owner is shown it. AppError `api_key_not_found`. */
  shown: async (userId: string, id: string) => readItem(ownKey, tx, { user_id: userId, id }),
});

/** Uses are gathered and written together. Those of a process that is killed before are forgotten. */
function uses(pool: pg.Pool) {
  let unwritten = new Map<string, Date>();
  return {
    /** Notes a use, to be written with `writeUses`: a request never waits for that. */
    used: (keyId: string, at: Date) => void unwritten.set(keyId, at),

    /** Writes the uses whose time in the table is older than a minute. */
    async writeUses() {
      if (unwritten.size === 0) return;
      const writing = unwritten;
      unwritten = new Map();
      await insertUses(pool, { key_ids: [...writing.keys()], moments: [...writing.values()] });
    },
  };
}

type FoundKey = Omit<StoredApiKey, 'secrets'> & ApiKeySecret;

const findKey = statement<FoundKey>(
  `
select key_id as "keyId", user_id as "userId", scopes, expires_at as "expiresAt",
       secret_version as version, secret_hash as hash, valid_until as "validUntil",
       origin, answered_at as "issuerAnsweredAt"
  from api_keys join api_key_secrets using (key_id)
       join (select user_id as owner, origin from users) owners on owner = user_id
       left join issuer_answers on issuer_id = origin
 where key_id = :key_id`,
  'auth/find-api-key',
);

const ownedKeys = statement<OwnedApiKey>(
  'select key_id as "keyId", version from api_keys where user_id = :user_id',
);

const insertUses = statement(`
insert into api_key_uses as u (key_id, last_used_at)
select key_id, at from unnest(:key_ids::text[], :moments::timestamptz[]) used (key_id, at)
  join api_keys using (key_id)
 order by key_id
on conflict (key_id) do update set last_used_at = excluded.last_used_at
 where u.last_used_at <= excluded.last_used_at - ${USES_APART}`);
