import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import { revokeSession } from './revoke-session.js';
import { newRefreshToken, type Tokens, tokensOf } from './session-tokens.js';

/**
 * Exchanges a refresh token for its successor and a new access token. AppError `invalid_refresh_token`:
 * unknown, expired, revoked or reused; nothing tells which.
 */
export const refresh =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async (token: string): Promise<Tokens> => {
    const successor = newRefreshToken(ports, refreshTokenTtlMs);
    const rotation = await ports.sessions.rotate(token, successor);
    if (rotation.kind === 'rotated') {
      const authentication = await ports.sessions.authentication(rotation.sessionId);
      return tokensOf(ports, { ...rotation, ...authentication }, rotation.refreshToken);
    }

    if (rotation.kind === 'reused') {
      await revokeSession(ports, rotation.sessionId, 'refresh_token_reused');
    }
    throw new AppError(
      'invalid_refresh_token',
      'The refresh token is not valid (any more). Log in again.',
    );
  };
