import { AppError } from '@junction/errors';
import type { RevocationReason } from '../domain/session/events.js';
import type { Needs } from './needs.js';
import { newRefreshToken, type Tokens, tokensOf } from './session-tokens.js';
import { streamOf } from './streams.js';

export interface SessionVerbs {
  /** AppError `invalid_refresh_token`: unknown, expired, revoked or reused; nothing tells which. */
  refresh(token: string): Promise<Tokens>;
  /** Ends the session of the caller, and that of the refresh token when it is hers too. */
  logout(
    caller: { readonly userId: string; readonly sessionId: string },
    token: string | undefined,
  ): Promise<void>;
  /** Ends the sessions that these ids and refresh tokens name. Whoever holds one may; unknown ones do nothing. */
  endSessions(named: {
    readonly sessionIds: readonly string[];
    readonly refreshTokens: readonly string[];
  }): Promise<void>;
  /** Is the session, or else the user, of these ids no more? */
  isRevoked(ids: readonly string[]): Promise<boolean>;
}

export function sessionVerbs(needs: Needs, refreshTokenTtlMs: number): SessionVerbs {
  const { accounts, sessions, handleSession, now } = needs;

  const revoke = async (sessionId: string, reason: RevocationReason): Promise<void> => {
    const data = { reason, at: now().toISOString() };
    await handleSession(streamOf.session(sessionId), { type: 'RevokeSession', data });
  };

  return {
    async refresh(token) {
      const rotation = await sessions.rotate(token, newRefreshToken(needs, refreshTokenTtlMs));
      if (rotation.kind === 'rotated') return tokensOf(needs, rotation, rotation.refreshToken);

      if (rotation.kind === 'reused') await revoke(rotation.sessionId, 'refresh_token_reused');
      throw invalidRefreshToken();
    },

    async logout({ userId, sessionId }, token) {
      const other = token === undefined ? undefined : await sessions.ofRefreshToken(token);
      await revoke(sessionId, 'logout');
      if (other?.userId === userId && other.sessionId !== sessionId) {
        await revoke(other.sessionId, 'logout');
      }
    },

    async endSessions({ sessionIds, refreshTokens }) {
      const owners = await Promise.all(
        refreshTokens.map((token) => sessions.ofRefreshToken(token)),
      );
      const ended = new Set([...sessionIds, ...owners.flatMap((owner) => owner?.sessionId ?? [])]);
      for (const sessionId of ended) await revoke(sessionId, 'logout');
    },

    async isRevoked(ids) {
      const sessionId = ids.find((id) => id.startsWith('ses_'));
      const userId = ids.find((id) => id !== sessionId) ?? '';
      // An API key has no session; that its row is there was seen when it was looked up.
      if (sessionId === undefined) return (await accounts.find(userId)) === undefined;
      return sessions.isOver(sessionId, userId);
    },
  };
}

const invalidRefreshToken = (): AppError =>
  new AppError(
    'unauthenticated',
    'invalid_refresh_token',
    'The refresh token is not valid (any more). Log in again.',
  );
