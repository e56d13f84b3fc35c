import { AppError, isOutage } from '@junction/errors';

const RETRY_AFTER_S = 1;
const CAUSES_MAX = 8;

/** Codes of Postgres for text that it cannot hold: NUL in `text`, or as an escape in `jsonb`. */
const UNSTORABLE = ['22021', '22P05'];

/** Returns the answer for callers when something that this service needs is away. */
export const serviceUnavailable = (cause: unknown): AppError =>
  new AppError(
    'service_unavailable',
    'A service this request needs cannot be reached just now. Try again in a moment.',
    { cause, retryAfterS: RETRY_AFTER_S },
  );

/**
 * Converts any error for its caller, for both servers alike: a foreseen error stays what it is, an outage (the database
 * is away, say) becomes `unavailable`, text that cannot be stored `invalid`, and all else `internal`.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isOutage(error)) return serviceUnavailable(error);
  if (isUnstorable(error)) {
    return new AppError(
      'unstorable_text',
      'The request holds a character that cannot be stored, such as NUL (U+0000). Leave it out.',
      { cause: error },
    );
  }
  return AppError.from(error);
}

function isUnstorable(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth++) {
    if ('code' in current && UNSTORABLE.includes(String(current.code))) return true;
    current = current.cause;
  }
  return false;
}
