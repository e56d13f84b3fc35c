/**
 * Most codes that a user may send in a window. Made-up codes reach the provider, which counts them against all users of
 * our client.
 */
export const CODES_MAX = 20;
export const CODES_WINDOW_S = 600;

/** Use that a user has made of a limit. */
export interface LimitState {
  readonly name: string;
  readonly limit: number;
  readonly windowS: number;
  readonly remaining: number;
  /** Seconds until a further code may be sent. */
  readonly resetS: number;
}

/** Returns the limit of a user who sends one more code, after this many in the window. */
export const codeLimit = (sent: {
  readonly count: number;
  /** Age in seconds of the oldest; 0 when there is none. */
  readonly oldestS: number;
}): LimitState & { readonly isReached: boolean } => ({
  name: 'codes',
  limit: CODES_MAX,
  windowS: CODES_WINDOW_S,
  remaining: Math.max(0, CODES_MAX - sent.count - 1),
  resetS: CODES_WINDOW_S - sent.oldestS,
  isReached: sent.count >= CODES_MAX,
});
