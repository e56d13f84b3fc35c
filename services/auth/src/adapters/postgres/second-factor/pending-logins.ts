import type pg from 'pg';
import type { Factors, PendingLoginTable } from '../../../application/second-factor/ports.js';

const EXPIRED_MAX = 100;

type PendingLogins = Pick<
  Factors,
  'keepPendingLogin' | 'pendingUser' | 'tryPendingLogin' | 'endPendingLogin'
>;

/**
 * Logins that wait for the second factor. A new row takes expired ones along. It locks the user and the password,
 * because a change of the password deletes these rows: either the change comes first and no row is added, or it
 * comes later and finds the row.
 */
export const pendingLogins = (pool: pg.Pool): PendingLogins => ({
  async keepPendingLogin({ tokenHash, userId, passwordHash, triesLeft, expiresAt }) {
    const { rowCount } = await pool.query(
      `with expired as (
         select token_hash from pending_logins where expires_at <= now()
          limit ${EXPIRED_MAX} for update skip locked
       ), purged as (
         delete from pending_logins where token_hash in (select token_hash from expired)
       )
       insert into pending_logins (token_hash, user_id, tries_left, expires_at)
       select $1, user_id, $3, $4 from users join passwords using (user_id)
        where user_id = $2 and hash = $5
          for key share of users for share of passwords`,
      [tokenHash, userId, triesLeft, expiresAt, passwordHash],
    );
    return rowCount === 1;
  },

  async pendingUser(tokenHash, now) {
    const { rows } = await pool.query<{ userId: string }>(
      `select user_id as "userId" from pending_logins
        where token_hash = $1 and tries_left > 0 and expires_at > $2`,
      [tokenHash, now],
    );
    return rows[0]?.userId;
  },

  async tryPendingLogin(tokenHash, now) {
    const { rows } = await pool.query<{ userId: string }>(
      `update pending_logins set tries_left = tries_left - 1
        where token_hash = $1 and tries_left > 0 and expires_at > $2 returning user_id as "userId"`,
      [tokenHash, now],
    );
    return rows[0]?.userId;
  },

  async endPendingLogin(tokenHash) {
    const { rowCount } = await pool.query('delete from pending_logins where token_hash = $1', [
      tokenHash,
    ]);
    return rowCount === 1;
  },
});

export const pendingLoginTable = (tx: pg.ClientBase): PendingLoginTable => ({
  async delete(userId) {
    await tx.query('delete from pending_logins where user_id = $1', [userId]);
  },
});
