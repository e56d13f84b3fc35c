import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import type { Rotation } from './ports.js';
import { revokeSession } from './revoke-session.js';
import { newRefreshToken, type Tokens, tokensOf } from './session-tokens.js';

const SECOND_MS = 1_000;

/**
 * Exchanges a refresh token for its successor and a new access token. AppError `invalid_refresh_token`:
 * unknown, expired, revoked or reused; nothing tells which. `issuer_sign_in_needed`: the session goes on, and the token
 * counts, once the trusted issuer whose user this is has been asked again.
 */
export const refresh =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async (token: string): Promise<Tokens> => {
    const rotation = await rotate(ports, token, refreshTokenTtlMs);
    if (rotation.kind === 'rotated') {
      const authentication = await ports.sessions.authentication(rotation.sessionId);
      return tokensOf(ports, { ...rotation, ...authentication }, rotation.refreshToken);
    }

    if (rotation.kind === 'reused') {
      await revokeSession(ports, rotation.sessionId, 'refresh_token_reused');
    }
    throw rotation.kind === 'unconfirmed' ? issuerSignInNeeded() : invalidRefreshToken();
  };

/** No lock is held while the issuer is waited for. */
async function rotate(ports: Ports, token: string, ttlMs: number): Promise<Rotation> {
  const successor = newRefreshToken(ports, ttlMs);
  const lifetimeMs = ports.accessTokens.lifetimeS * SECOND_MS;
  const until = new Date(successor.issuedAt.getTime() + lifetimeMs);
  const rotation = await ports.sessions.rotate(token, successor, until);
  if (rotation.kind !== 'unconfirmed') return rotation;
  const issuer = ports.issuerSignIns.get(rotation.issuerId);
  // A browser that is sent to an issuer that is away stands before an empty page.
  if (issuer === undefined || (await issuer.isThere())) return rotation;
  await ports.sessions.issuerAway(rotation.sessionId, ports.now());
  return ports.sessions.rotate(token, successor, until);
}

const invalidRefreshToken = (): AppError =>
  new AppError('invalid_refresh_token', 'The refresh token is not valid (any more). Log in again.');

const issuerSignInNeeded = (): AppError =>
  new AppError(
    'issuer_sign_in_needed',
    'The issuer of this user has to be asked again. Lead the browser to /api/auth/session/issuer.',
  );
