import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { hashOfSecret } from '../../application/secret-hash.js';
import type { NewRefreshToken, Rotation } from '../../application/session/ports.js';
import { covers, type IssuerWord } from '../../domain/session/issuer-word.js';
import { standingOf } from '../../domain/session/refresh-token.js';

export interface RotationOptions {
  readonly ring: KeyRing;
  readonly reuseWindowMs: number;
}

interface TokenRow {
  readonly expires_at: Date;
  readonly rotated_at: Date | null;
  readonly successor_sealed: Buffer | null;
}

export interface Exchange {
  readonly successor: NewRefreshToken;
  /** The end of the access token that is to come with it. */
  readonly until: Date;
}

/**
 * Exchanges the refresh token of a session, one exchange at a time: the session's row is locked first, and a log-out
 * needs that row too. So of two equal requests the second finds the successor of the first, and of an exchange and a
 * log-out either the session is gone before, or the log-out takes the new token with it.
 */
export async function rotate(
  tx: pg.PoolClient,
  presented: string,
  { successor, until }: Exchange,
  { ring, reuseWindowMs }: RotationOptions,
): Promise<Rotation> {
  const hash = hashOfSecret(presented);
  const locked = await lockSession(tx, hash);
  if (!locked) return { kind: 'unknown' };
  const { session, issuer } = locked;

  const { rows } = await tx.query<TokenRow>(
    'select expires_at, rotated_at, successor_sealed from refresh_tokens where token_hash = $1',
    [hash],
  );
  const [token] = rows;
  if (!token) return { kind: 'unknown' };

  const facts = { expiresAt: token.expires_at, rotatedAt: token.rotated_at ?? undefined };
  const standing = standingOf(facts, successor.issuedAt, reuseWindowMs);
  const isGood = standing === 'live' || standing === 'replayed';
  if (isGood && issuer && !covers(issuer.word, successor.issuedAt, until)) {
    return { kind: 'unconfirmed', sessionId: session.sessionId, issuerId: issuer.id };
  }
  switch (standing) {
    case 'expired':
      return { kind: 'unknown' };
    case 'reused':
      return { kind: 'reused', sessionId: session.sessionId };
    case 'replayed': {
      // Erased a moment early by another replica's clock: no successor to give, and no theft either.
      if (!token.successor_sealed) return { kind: 'unknown' };
      const refreshToken = openWithRing(ring, token.successor_sealed, placeOf(hash)).toString();
      return { kind: 'rotated', ...session, refreshToken };
    }
    case 'live': {
      await insertToken(tx, session.sessionId, successor);
      await tx.query(
        'update refresh_tokens set rotated_at = $2, successor_sealed = $3 where token_hash = $1',
        [hash, successor.issuedAt, sealWithRing(ring, Buffer.from(successor.token), placeOf(hash))],
      );
      return { kind: 'rotated', ...session, refreshToken: successor.token };
    }
  }
}

interface SessionRow {
  readonly session_id: string;
  readonly user_id: string;
  /** Null: a user of our own, for whom no issuer is asked. */
  readonly origin: string | null;
  readonly confirmed_at: Date;
  readonly away_at: Date | null;
}

async function lockSession(tx: pg.PoolClient, tokenHash: Buffer) {
  const { rows } = await tx.query<SessionRow>(
    `select s.session_id, s.user_id, u.origin, c.away_at,
            greatest(s.started_at, c.confirmed_at) as confirmed_at
       from sessions s
            join users u using (user_id)
            left join session_confirmations c using (session_id)
      where s.session_id = (select session_id from refresh_tokens where token_hash = $1)
        for update of s`,
    [tokenHash],
  );
  const [row] = rows;
  if (!row) return undefined;
  const session = { sessionId: row.session_id, userId: row.user_id };
  const word: IssuerWord = {
    confirmedAt: row.confirmed_at,
    awayAt: row.away_at ?? undefined,
  };
  return { session, issuer: row.origin === null ? undefined : { id: row.origin, word } };
}

const placeOf = (tokenHash: Buffer): string => placeOfHex(tokenHash.toString('hex'));

const placeOfHex = (tokenHash: string): string => `refresh_tokens/successor_sealed/${tokenHash}`;

export const successorColumn: RingColumn = {
  table: 'refresh_tokens',
  column: 'successor_sealed',
  key: 'token_hash',
  keyType: 'bytea',
  place: placeOfHex,
};

export async function insertToken(
  tx: pg.ClientBase,
  sessionId: string,
  { token, issuedAt, expiresAt }: NewRefreshToken,
): Promise<void> {
  await tx.query(
    `insert into refresh_tokens (token_hash, session_id, issued_at, expires_at)
     values ($1, $2, $3, $4)`,
    [hashOfSecret(token), sessionId, issuedAt, expiresAt],
  );
}
