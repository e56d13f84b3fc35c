import type pg from 'pg';
import type {
  Accounts,
  MailedAccount,
  MailedTokenTable,
  TakenToken,
  WantedToken,
} from '../../../application/account/ports.js';
import { isUserGone } from '../violation.js';

const WANTED = 'token_hash = $1 and purpose = any ($2) and expires_at > $3';
const valuesOf = ({ tokenHash, purposes, now }: WantedToken) => [tokenHash, purposes, now];

export const mailedTokens = (pool: pg.Pool): Pick<Accounts, 'keepToken' | 'mailedTo'> => ({
  async keepToken({ tokenHash, userId, purpose, expiresAt, email }) {
    try {
      await pool.query(
        `insert into mailed_tokens (token_hash, user_id, purpose, expires_at, email)
         values ($1, $2, $3, $4, $5)
         on conflict (user_id, purpose) do update
           set token_hash = excluded.token_hash, expires_at = excluded.expires_at, email = excluded.email`,
        [tokenHash, userId, purpose, expiresAt, email],
      );
    } catch (error) {
      if (!isUserGone(error)) throw error;
    }
  },

  async mailedTo(wanted) {
    const { rows } = await pool.query<MailedAccount>(
      `select t.user_id as "userId", t.purpose, t.email, u.email as "currentEmail",
              u.email_verified_at is not null as "isVerified"
         from mailed_tokens t join users u using (user_id) where ${WANTED}`,
      valuesOf(wanted),
    );
    return rows[0];
  },
});

export const mailedTokenTable = (tx: pg.ClientBase): MailedTokenTable => ({
  async take(wanted) {
    const { rows } = await tx.query<TakenToken>(
      `delete from mailed_tokens where ${WANTED} returning user_id as "userId", purpose, email`,
      valuesOf(wanted),
    );
    return rows[0];
  },

  async delete(userId) {
    await tx.query('delete from mailed_tokens where user_id = $1', [userId]);
  },
});
