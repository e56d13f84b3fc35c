import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type {
  Accounts,
  MailedAccount,
  MailedTokenTable,
  TakenToken,
  WantedToken,
} from '../../../application/account/ports.js';
import { isUserGone } from '../violation.js';

const WANTED = 'token_hash = :token_hash and purpose = any (:purposes) and expires_at > :now';
const valuesOf = ({ tokenHash, purposes, now }: WantedToken) => ({
  token_hash: tokenHash,
  purposes,
  now,
});

export const mailedTokens = (pool: pg.Pool): Pick<Accounts, 'keepToken' | 'mailedTo'> => ({
  async keepToken({ tokenHash, userId, purpose, expiresAt, email }) {
    try {
      const columns = {
        token_hash: tokenHash,
        user_id: userId,
        purpose,
        expires_at: expiresAt,
        email,
      };
      await saveToken(pool, columns);
    } catch (error) {
      if (!isUserGone(error)) throw error;
    }
  },

  async mailedTo(wanted) {
    return (await findMailed(pool, valuesOf(wanted))).rows[0];
  },
});

export const mailedTokenTable = (tx: pg.ClientBase): MailedTokenTable => ({
  async take(wanted) {
    return (await takeToken(tx, valuesOf(wanted))).rows[0];
  },

  async delete(userId) {
    await deleteTokens(tx, { user_id: userId });
  },
});

const saveToken = statement(`
insert into mailed_tokens (token_hash, user_id, purpose, expires_at, email)
values (:token_hash, :user_id, :purpose, :expires_at, :email)
on conflict (user_id, purpose) do update
  set token_hash = excluded.token_hash, expires_at = excluded.expires_at, email = excluded.email`);

const findMailed = statement<MailedAccount>(`
select t.user_id as "userId", t.purpose, t.email, u.email as "currentEmail",
       u.email_verified_at is not null as "isVerified"
  from mailed_tokens t join users u using (user_id) where ${WANTED}`);

const takeToken = statement<TakenToken>(
  `delete from mailed_tokens where ${WANTED} returning user_id as "userId", purpose, email`,
);

const deleteTokens = statement('delete from mailed_tokens where user_id = :user_id');
