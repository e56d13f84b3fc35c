import { AppError } from '@junction/errors';
import { covers } from '../../domain/session/issuer-word.js';
import { standingOf } from '../../domain/session/refresh-token.js';
import type { Ports } from '../ports.js';
import { revokeSession } from '../revoke-session.js';
import { newRefreshToken, type Tokens, tokensOf } from '../session-tokens.js';
import type { Transaction } from '../unit-of-work.js';
import type { NewRefreshToken } from './ports.js';

const SECOND_MS = 1_000;

export interface RefreshSettings {
  readonly refreshTokenTtlMs: number;
  /** For so long a spent token gives its successor again. */
  readonly reuseWindowMs: number;
}

/**
 * Exchanges a refresh token for its successor and a new access token. AppError `invalid_refresh_token`:
 * unknown, expired, revoked or reused; nothing tells which. `issuer_sign_in_needed`: the session goes on, and the token
 * counts, once the trusted issuer whose user this is has been asked again.
 */
export const refresh =
  (ports: Ports, { refreshTokenTtlMs, reuseWindowMs }: RefreshSettings) =>
  async (token: string): Promise<Tokens> => {
    const successor = newRefreshToken(ports, refreshTokenTtlMs);
    const lifetimeMs = ports.accessTokens.lifetimeS * SECOND_MS;
    const until = new Date(successor.issuedAt.getTime() + lifetimeMs);
    const rotation = await rotate(ports, { token, successor, until, reuseWindowMs });
    if (rotation.kind === 'rotated') {
      const authentication = await ports.sessions.authentication(rotation.sessionId);
      return tokensOf(ports, { ...rotation, ...authentication }, rotation.refreshToken);
    }

    if (rotation.kind === 'unconfirmed') throw issuerSignInNeeded();
    await revokeSession(ports, rotation.sessionId, 'refresh_token_reused');
    throw invalidRefreshToken();
  };

interface Exchange {
  readonly token: string;
  readonly successor: NewRefreshToken;
  /** The end of the access token that is to come with the successor. */
  readonly until: Date;
  readonly reuseWindowMs: number;
}

type Rotation =
  | {
      readonly kind: 'rotated';
      readonly sessionId: string;
      readonly userId: string;
      /** The successor: the one offered, or the one an earlier exchange of the same token got. */
      readonly refreshToken: string;
    }
  | { readonly kind: 'reused'; readonly sessionId: string }
  /** The token is good, and the trusted issuer whose user this is has to be asked first. Nothing was exchanged. */
  | { readonly kind: 'unconfirmed'; readonly sessionId: string; readonly issuerId: string };

/** No lock is held while the issuer is waited for. */
async function rotate(ports: Ports, exchange: Exchange): Promise<Rotation> {
  const { unitOfWork, sessions, issuerSignIns, now } = ports;
  const rotation = await unitOfWork.inTransaction(async (tx) => rotateIn(tx, exchange));
  if (rotation.kind !== 'unconfirmed') return rotation;
  const issuer = issuerSignIns.get(rotation.issuerId);
  // A browser that is sent to an issuer that is away stands before an empty page.
  if (issuer === undefined || (await issuer.isThere())) return rotation;
  await sessions.issuerAway(rotation.sessionId, now());
  return unitOfWork.inTransaction(async (tx) => rotateIn(tx, exchange));
}

/**
 * Exchanges of a session come one at a time, because its row is locked, and a log-out needs that row too. So of two
 * equal requests the second finds the successor of the first, and of an exchange and a log-out either the session is
 * gone before, or the log-out takes the new token with it.
 */
async function rotateIn(
  tx: Transaction,
  { token, successor, until, reuseWindowMs }: Exchange,
): Promise<Rotation> {
  const locked = await tx.refreshTokens.lockSession(token);
  const found = locked && (await tx.refreshTokens.find(token));
  if (locked === undefined || found === undefined) throw invalidRefreshToken();
  const { sessionId, userId, issuer } = locked;
  const standing = standingOf(found, successor.issuedAt, reuseWindowMs);
  if (standing === 'expired') throw invalidRefreshToken();
  if (standing === 'reused') return { kind: 'reused', sessionId };
  if (issuer && !covers(issuer.word, successor.issuedAt, until)) {
    return { kind: 'unconfirmed', sessionId, issuerId: issuer.id };
  }
  if (standing === 'live') {
    await tx.refreshTokens.exchange(token, sessionId, successor);
    return { kind: 'rotated', sessionId, userId, refreshToken: successor.token };
  }
  // Erased a moment early by another replica's clock: no successor to give, and no theft either.
  if (found.successor === undefined) throw invalidRefreshToken();
  return { kind: 'rotated', sessionId, userId, refreshToken: found.successor };
}

const invalidRefreshToken = (): AppError =>
  new AppError('invalid_refresh_token', 'The refresh token is not valid (any more). Log in again.');

const issuerSignInNeeded = (): AppError =>
  new AppError(
    'issuer_sign_in_needed',
    'The issuer of this user has to be asked again. Lead the browser to /api/auth/session/issuer.',
  );
