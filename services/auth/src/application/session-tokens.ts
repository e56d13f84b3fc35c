import type { Ports } from './ports.js';
import type { NewRefreshToken, TokenSession } from './session/ports.js';

const TOKEN_BYTES = 32;

export interface Tokens {
  readonly userId: string;
  readonly accessToken: string;
  readonly expiresInS: number;
  readonly refreshToken: string;
}

/** 256 random bits behind a prefix by which leaked ones can be found. */
export function newRefreshToken(
  { now, random }: Pick<Ports, 'now' | 'random'>,
  ttlMs: number,
): NewRefreshToken {
  const issuedAt = now();
  return {
    token: `jn_rt_${random(TOKEN_BYTES).toString('base64url')}`,
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + ttlMs),
  };
}

/**
 * A new access token. The role is read once the row of the session is there: a demotion before is seen, and a later one
 * ends the session. A trusted issuer's user has no address here that could be verified.
 */
export async function accessTokenOf(
  { accessTokens, accounts }: Pick<Ports, 'accessTokens' | 'accounts'>,
  session: TokenSession,
): Promise<string> {
  const user = session.account ?? (await accounts.find(session.userId));
  const isUnverified = typeof user?.email === 'string' && user.emailVerifiedAt === null;
  return accessTokens.forUser({ ...session, role: user?.role ?? 'user', isUnverified });
}

/** Returns the tokens that a client holds of a session: a new access token beside this refresh token. */
export async function tokensOf(
  ports: Pick<Ports, 'accessTokens' | 'accounts'>,
  session: TokenSession,
  refreshToken: string,
): Promise<Tokens> {
  const accessToken = await accessTokenOf(ports, session);
  const { userId } = session;
  return { userId, accessToken, expiresInS: ports.accessTokens.lifetimeS, refreshToken };
}
