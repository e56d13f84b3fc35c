import { type EventStore, retryWhenMoved } from '@junction/eventsourcing';
import { inRetriedTransaction, inTurn } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { emailTaken } from '../../application/account/email-taken.js';
import type { Accounts, User } from '../../application/account/ports.js';
import type { AccountTable, LockedAccount } from '../../application/account/tables.js';
import { streamOf } from '../../application/streams.js';
import type { UserEvent } from '../../domain/user/events.js';
import { type AccountsOptions, accountWrites, insertPassword } from './account-writes.js';
import { closeWithin } from './close-account.js';
import { isTakenEmail } from './violation.js';

export function postgresAccounts(options: AccountsOptions): Accounts {
  const { pool, store } = options;
  return {
    ...accountReads(pool),

    async history(userId) {
      // A stream holds the events of its own aggregate only, so a narrower view of the store is safe.
      const users = store as unknown as EventStore<UserEvent>;
      return (await users.load(streamOf.user(userId))).history;
    },

    async passwordHash(userId) {
      const text = 'select hash from passwords where user_id = $1';
      const { rows } = await pool.query<{ hash: string }>(text, [userId]);
      return rows[0]?.hash;
    },

    async open(append, userId, passwordHash) {
      try {
        await store.transact([append], {}, (tx) => insertPassword(tx, userId, passwordHash));
      } catch (error) {
        throw isTakenEmail(error) ? emailTaken(error) : error;
      }
    },

    ...accountWrites(options),

    close: async (userId, closing) => close(options, userId, closing),
  };
}

const USER = `user_id as id, email, origin, created_at as "createdAt", email_verified_at as "emailVerifiedAt", role`;

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
    const { rows } = await pool.query<{ user_id: string; hash: string }>({
      name: 'auth/credential',
      text: 'select user_id, hash from users join passwords using (user_id) where email = $1',
      values: [email],
    });
    const [row] = rows;
    return row && { userId: row.user_id, passwordHash: row.hash };
  },
});

async function close(
  options: AccountsOptions,
  ...[userId, closing]: Parameters<Accounts['close']>
): ReturnType<Accounts['close']> {
  const { pool, committed } = options;
  // A log-out or the end of a key may come first. What is left is read again.
  const work = async (tx: pg.PoolClient) => closeWithin(options, tx, userId, closing);
  const closed = await inTurn(userId, () => retryWhenMoved(() => inRetriedTransaction(pool, work)));
  committed();
  return closed;
}

export const accountTable = (tx: pg.ClientBase): AccountTable => ({
  async lock(userId) {
    const { rows } = await tx.query<LockedAccount>(
      `select user_id as "userId", email, email_verified_at is not null as "isVerified"
         from users where user_id = $1 for update`,
      [userId],
    );
    return rows[0];
  },
});
