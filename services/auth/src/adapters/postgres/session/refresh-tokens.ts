import { statement } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { hashOfSecret } from '../../../application/secret-hash.js';
import type { NewRefreshToken } from '../../../application/session/ports.js';

interface TokenRow {
  readonly expiresAt: Date;
  readonly rotatedAt: Date | null;
  readonly sealed: Buffer | null;
}

interface SessionRow {
  readonly sessionId: string;
  readonly userId: string;
  /** Null: a user of our own, for whom no issuer is asked. */
  readonly origin: string | null;
  readonly confirmedAt: Date;
  readonly awayAt: Date | null;
}

export const refreshTokenTable = (tx: pg.ClientBase, ring: KeyRing) => ({
  /**
   * Locks the session of a token, so that exchanges come one at a time, and a log-out before or after them. Undefined
   * when there is no such token, or its session is over.
   */
  async lockSession(token: string) {
    const { rows } = await lockSession(tx, { token_hash: hashOfSecret(token) });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { sessionId, userId, origin, confirmedAt, awayAt } = row;
    const word = { confirmedAt, awayAt: awayAt ?? undefined };
    return { sessionId, userId, issuer: origin === null ? undefined : { id: origin, word } };
  },

  /** Finds a token of a session that is locked. */
  async find(token: string) {
    const hash = hashOfSecret(token);
    const { rows } = await findToken(tx, { token_hash: hash });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { expiresAt, rotatedAt, sealed } = row;
    const successor = sealed ? openWithRing(ring, sealed, placeOf(hash)).toString() : undefined;
    return { expiresAt, rotatedAt: rotatedAt ?? undefined, successor };
  },

  /** Marks a token as spent, keeps its successor beside it, sealed, and adds the successor. */
  async exchange(token: string, sessionId: string, successor: NewRefreshToken) {
    const hash = hashOfSecret(token);
    await exchangeToken(tx, {
      token_hash: hash,
      successor_sealed: sealWithRing(ring, Buffer.from(successor.token), placeOf(hash)),
      session_id: sessionId,
      successor_hash: hashOfSecret(successor.token),
      issued_at: successor.issuedAt,
      expires_at: successor.expiresAt,
    });
  },
});

const lockSession = statement<SessionRow>(`
select s.session_id as "sessionId", s.user_id as "userId", u.origin, c.away_at as "awayAt",
       greatest(s.started_at, c.confirmed_at) as "confirmedAt"
  from sessions s
       join users u using (user_id)
       left join session_confirmations c using (session_id)
 where s.session_id = (select session_id from refresh_tokens where token_hash = :token_hash)
   for update of s`);

const findToken = statement<TokenRow>(`
select expires_at as "expiresAt", rotated_at as "rotatedAt", successor_sealed as sealed
  from refresh_tokens where token_hash = :token_hash`);

const exchangeToken = statement(`
with spent as (
  update refresh_tokens set rotated_at = :issued_at, successor_sealed = :successor_sealed
   where token_hash = :token_hash)
insert into refresh_tokens (session_id, token_hash, issued_at, expires_at)
values (:session_id, :successor_hash, :issued_at, :expires_at)`);

const placeOf = (tokenHash: Buffer): string => placeOfHex(tokenHash.toString('hex'));

const placeOfHex = (tokenHash: string): string => `refresh_tokens/successor_sealed/${tokenHash}`;

export const successorColumn: RingColumn = {
  table: 'refresh_tokens',
  column: 'successor_sealed',
  key: 'token_hash',
  keyType: 'bytea',
  place: placeOfHex,
};
