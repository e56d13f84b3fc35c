import { statement } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type {
  MailedAccount,
  MailedToken,
  TakenToken,
  WantedToken,
} from '../../../application/account/ports.js';
import { hashOfSecret } from '../../../application/secret-hash.js';
import { isUserGone } from '../violation.js';

const WANTED = 'token_hash = :token_hash and purpose = any (:purposes) and expires_at > :now';
const valuesOf = ({ tokenHash, purposes, now }: WantedToken) => ({
  token_hash: tokenHash,
  purposes,
  now,
});

export const mailedTokens = (pool: pg.Pool, ring: KeyRing) => ({
  /**
   * Keeps a token for a mail, and returns the one to mail: the token that was mailed to the same address before, if it
   * still counts, and goes on with the life of this one. Another of the same user and purpose counts no more. Undefined
   * for a user who is gone.
   */
  async keepToken({ token, userId, expiresAt, ...mailed }: MailedToken) {
    const hash = hashOfSecret(token);
    try {
      const { rows } = await saveToken(pool, {
        ...mailed,
        token_hash: hash,
        token_sealed: sealWithRing(ring, Buffer.from(token), placeOf(hash.toString('hex'))),
        user_id: userId,
        expires_at: expiresAt,
      });
      return rows.map(({ hash, sealed }) =>
        openWithRing(ring, sealed, placeOf(hash)).toString(),
      )[0];
    } catch (error) {
      if (!isUserGone(error)) throw error;
      return undefined;
    }
  },

  /** The account that a token names. The token stays unused. */
  async mailedTo(wanted: WantedToken) {
    return (await findMailed(pool, valuesOf(wanted))).rows[0];
  },
});

export const mailedTokenTable = (tx: pg.ClientBase) => ({
  /** Takes a token, which counts once; undefined when there is no such token. */
  async take(wanted: WantedToken) {
    return (await takeToken(tx, valuesOf(wanted))).rows[0];
  },

  async delete(userId: string) {
    await deleteTokens(tx, { user_id: userId });
  },
});

const placeOf = (hash: string): string => `mailed_tokens/token_sealed/${hash}`;

export const mailedTokenColumn: RingColumn = {
  table: 'mailed_tokens',
  column: 'token_sealed',
  key: 'sealed_hash',
  keyType: 'bytea',
  place: placeOf,
};

// A link that somebody has read could be asked for, and so count, for ever: after two lives it gives way to another.
const STILL_COUNTS = `
known.expires_at > :now and known.email = excluded.email and known.sealed_hash = known.token_hash
    and known.made_at > :now::timestamptz - 2 * (excluded.expires_at - :now::timestamptz)`;
const kept = (column: string): string =>
  `${column} = case when ${STILL_COUNTS} then known.${column} else excluded.${column} end`;

const saveToken = statement<{ hash: string; sealed: Buffer }>(`
insert into mailed_tokens as known
  (token_hash, user_id, purpose, expires_at, email, sealed_hash, token_sealed, made_at)
values (:token_hash, :user_id, :purpose, :expires_at, :email, :token_hash, :token_sealed, :now)
on conflict (user_id, purpose) do update
  set expires_at = excluded.expires_at, email = excluded.email,
      ${['token_hash', 'sealed_hash', 'token_sealed', 'made_at'].map(kept).join(', ')}
returning encode(token_hash, 'hex') as hash, token_sealed as sealed`);

const findMailed = statement<MailedAccount>(`
select t.user_id as "userId", t.purpose, t.email, u.email as "currentEmail",
       u.email_verified_at is not null as "isVerified"
  from mailed_tokens t join users u using (user_id) where ${WANTED}`);

const takeToken = statement<TakenToken>(
  `delete from mailed_tokens where ${WANTED} returning user_id as "userId", purpose, email`,
);

const deleteTokens = statement('delete from mailed_tokens where user_id = :user_id');
