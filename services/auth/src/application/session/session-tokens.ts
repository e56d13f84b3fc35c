import type { Ports } from '../ports.js';
import type { FactorShown, NewRefreshToken } from './ports.js';

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

/** What a client holds of a session: a new access token beside this refresh token. */
export async function tokensOf(
  { accessTokens }: Pick<Ports, 'accessTokens'>,
  session: {
    readonly userId: string;
    readonly sessionId: string;
    readonly proof?: FactorShown | undefined;
  },
  refreshToken: string,
): Promise<Tokens> {
  const accessToken = await accessTokens.forUser(session);
  const { userId } = session;
  return { userId, accessToken, expiresInS: accessTokens.lifetimeS, refreshToken };
}
