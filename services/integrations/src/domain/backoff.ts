const SECOND_MS = 1_000;

export interface BackoffPolicy {
  /** The wait after the first failure; doubled with each further one. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Waits between two failing refreshes of a connection. Short at first, because a caller waits for the token. */
export const REFRESH_BACKOFF: BackoffPolicy = { firstMs: SECOND_MS, longestMs: 300 * SECOND_MS };

/** Waits between two refreshes after a refusal: a moment later the provider refuses again. */
export const REJECTED_BACKOFF: BackoffPolicy = {
  firstMs: 60 * SECOND_MS,
  longestMs: 3_600 * SECOND_MS,
};

/** Between two attempts to revoke at the provider. */
export const REVOCATION_BACKOFF: BackoffPolicy = { firstMs: SECOND_MS, longestMs: 600 * SECOND_MS };

/**
 * Returns how long to wait after so many failures in a row (1 or more): the upper half of a doubling range, so that
 * callers who failed together do not come back together. The wait is never shorter than the provider asked for
 * (Retry-After).
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
