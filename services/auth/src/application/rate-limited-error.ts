import { AppError } from '@junction/errors';

/** What a caller is told of the limit he met. */
export interface SpentLimit {
  readonly limit: number;
  readonly windowS: number;
  /** Seconds until the window ends and attempts count anew. */
  readonly resetS: number;
}

/** Too many attempts. Carries the limit, so that the HTTP server can say it in headers too. */
export class RateLimitedError extends AppError {
  constructor(readonly spent: SpentLimit) {
    super(
      'rate_limited',
      'too_many_attempts',
      `Too many attempts. Try again in ${spent.resetS} seconds.`,
      { retryAfterS: spent.resetS },
    );
  }
}
