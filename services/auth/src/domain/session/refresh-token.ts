/** The stored facts about a refresh token that is presented. */
export interface RefreshTokenFacts {
  readonly expiresAt: Date;
  /** When its successor was issued; absent while it is the newest of its session. */
  readonly rotatedAt?: Date | undefined;
}

/**
 * live: exchange it. replayed: an honest client asks again because the answer got lost, so it gets
 * the identical successor. reused: two parties hold it, so the whole session ends (RFC 9700, 4.14.2).
 */
export type RefreshTokenStanding = 'live' | 'replayed' | 'reused' | 'expired';

export function standingOf(
  { expiresAt, rotatedAt }: RefreshTokenFacts,
  now: Date,
  reuseWindowMs: number,
): RefreshTokenStanding {
  if (rotatedAt !== undefined) {
    return now.getTime() - rotatedAt.getTime() <= reuseWindowMs ? 'replayed' : 'reused';
  }
  return now < expiresAt ? 'live' : 'expired';
}
