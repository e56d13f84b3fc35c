import type { PostgresEventStore } from '@junction/eventsourcing/postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type {
  Accounts,
  AccountTable,
  LockedAccount,
  PasswordTable,
  User,
} from '../../../application/account/ports.js';
import { isEventOf } from '../../../application/handle-commands.js';
import { streamOf } from '../../../application/streams.js';
import type { AuthEvent } from '../../../domain/auth-event.js';
import { mailedTokens } from './mailed-tokens.js';

const USER = `user_id as id, email, origin, created_at as "createdAt", email_verified_at as "emailVerifiedAt", role`;

export const postgresAccounts = (
  pool: pg.Pool,
  store: PostgresEventStore<AuthEvent>,
): Accounts => ({
  ...mailedTokens(pool),

  async history(userId) {
    const { history } = await store.load(streamOf.user(userId));
    return history.filter(isEventOf('user'));
  },

  async passwordHash(userId) {
    const text = 'select hash from passwords where user_id = $1';
    const { rows } = await pool.query<{ hash: string }>(text, [userId]);
    return rows[0]?.hash;
  },

  ...accountReads(pool),
});

const accountReads = (
  pool: pg.Pool,
): Pick<Accounts, 'find' | 'operators' | 'idOf' | 'isTaken' | 'credential'> => ({
  async find(userId) {
    const { rows } = await pool.query<User>({
      name: 'auth/find-user',
      text: `select ${USER} from users where user_id = $1`,
      values: [userId],
    });
    return rows[0];
  },

  async operators() {
    const { rows } = await pool.query<User>(
      `select ${USER} from users where role = 'operator' order by created_at, user_id`,
    );
    return rows;
  },

  async idOf(email) {
    const { rows } = await pool.query<{ id: string }>(
      'select user_id as id from users where email = $1',
      [email],
    );
    return rows[0]?.id;
  },

  async isTaken(email, userId) {
    const { rowCount } = await pool.query(
      `select from users where email = $1
       union all
       select from account_changes
        where email = $1 and kind = 'email_changed' and user_id is distinct from $2`,
      [email, userId ?? null],
    );
    return rowCount !== 0;
  },

  async credential(email) {
    const { rows } = await pool.query<{ userId: string; passwordHash: string }>({
      name: 'auth/credential',
      text: `select user_id as "userId", hash as "passwordHash"
               from users join passwords using (user_id) where email = $1`,
      values: [email],
    });
    return rows[0];
  },
});

export const accountTable = (tx: pg.ClientBase, vault: Vault): AccountTable => ({
  async lock(userId) {
    const { rows } = await tx.query<LockedAccount>(
      `select user_id as "userId", email, email_verified_at is not null as "isVerified"
         from users where user_id = $1 for update`,
      [userId],
    );
    return rows[0];
  },

  shredKey: async (userId) => vault.shred(userId, tx),
});

export const passwordTable = (tx: pg.ClientBase): PasswordTable => ({
  async save(userId, hash) {
    await tx.query(
      `insert into passwords (user_id, hash) values ($1, $2)
       on conflict (user_id) do update set hash = excluded.hash`,
      [userId, hash],
    );
  },
});
