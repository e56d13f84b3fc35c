import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { PendingLogin } from '../../../application/second-factor/ports.js';

const EXPIRED_MAX = 100;

/**
 * Logins that wait for the second factor. A new row takes expired ones along. It locks the user and the password,
 * because a change of the password deletes these rows: either the change comes first and no row is added, or it
 * comes later and finds the row.
 */
export const pendingLogins = (pool: pg.Pool) => ({
  /** Returns false when the user is gone, or has another password. */
  async keepPendingLogin({ tokenHash, userId, passwordHash, triesLeft, expiresAt }: PendingLogin) {
    const { rowCount } = await insertLogin(pool, {
      token_hash: tokenHash,
      user_id: userId,
      password_hash: passwordHash,
      tries_left: triesLeft,
      expires_at: expiresAt,
    });
    return rowCount === 1;
  },

  /** Returns the user whose login waits; undefined when the login is over, used or has no try left. */
  async pendingUser(tokenHash: Buffer, now: Date) {
    return (await findUserOf(pool, { token_hash: tokenHash, now })).rows[0]?.userId;
  },

  /** Takes a try. Returns undefined when the login is over, used or has no try left. */
  async tryPendingLogin(tokenHash: Buffer, now: Date) {
    return (await countTry(pool, { token_hash: tokenHash, now })).rows[0]?.userId;
  },

  /** Tells whether the login was there: it goes on once. */
  async endPendingLogin(tokenHash: Buffer) {
    return (await deleteLogin(pool, { token_hash: tokenHash })).rowCount === 1;
  },
});

export const pendingLoginTable = (tx: pg.ClientBase) => ({
  async delete(userId: string) {
    await deleteLogins(tx, { user_id: userId });
  },
});

const insertLogin = statement(`
with expired as (
  select token_hash from pending_logins where expires_at <= now()
   limit ${EXPIRED_MAX} for update skip locked
), purged as (
  delete from pending_logins where token_hash in (select token_hash from expired)
)
insert into pending_logins (token_hash, user_id, tries_left, expires_at)
select :token_hash, user_id, :tries_left, :expires_at from users join passwords using (user_id)
 where user_id = :user_id and hash = :password_hash
   for key share of users for share of passwords`);

const WAITS = 'token_hash = :token_hash and tries_left > 0 and expires_at > :now';

const findUserOf = statement<{ userId: string }>(
  `select user_id as "userId" from pending_logins where ${WAITS}`,
);

const countTry = statement<{ userId: string }>(`
update pending_logins set tries_left = tries_left - 1 where ${WAITS} returning user_id as "userId"`);

const deleteLogin = statement('delete from pending_logins where token_hash = :token_hash');

const deleteLogins = statement('delete from pending_logins where user_id = :user_id');
