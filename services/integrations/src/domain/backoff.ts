const SECOND_MS = 1_000;

export interface BackoffPolicy {
  /** The wait after the first failure; doubled with each further one. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Between two refreshes of one connection that fail. Short at first: somebody waits for the token. */
export const REFRESH_BACKOFF: BackoffPolicy = { firstMs: SECOND_MS, longestMs: 300 * SECOND_MS };

/** The same after an answer that said no: a moment later the provider says so again. */
export const REJECTED_BACKOFF: BackoffPolicy = {
  firstMs: 60 * SECOND_MS,
  longestMs: 3_600 * SECOND_MS,
};

/** Between two attempts to revoke at the provider. */
export const REVOCATION_BACKOFF: BackoffPolicy = { firstMs: SECOND_MS, longestMs: 600 * SECOND_MS };

/**
 * How long to wait after so many failures in a row (1 or more): the upper half of a doubling range, so
 * that many who failed together do not come back together. What the provider asked for (Retry-After)
 * is waited for.
 */
export function backoffMs(
  { firstMs, longestMs }: BackoffPolicy,
  failures: number,
  chance: number,
  askedForMs = 0,
): number {
  const doubledMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  const ownMs = doubledMs / 2 + (doubledMs / 2) * chance;
  return Math.round(Math.max(ownMs, askedForMs));
}
