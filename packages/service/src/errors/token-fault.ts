import type { AppError } from '@junction/errors';
import { errors } from 'jose';

/** Reason why a token was refused, for logs and metrics: never for the sender. */
export type TokenFault = 'expired' | 'other_audience' | 'invalid_token';

/** Returns the fault behind an error that the check of a token has thrown. */
export function tokenFault({ cause }: AppError): TokenFault {
  if (isExpired(cause)) return 'expired';
  const isAimedElsewhere =
    cause instanceof errors.JWTClaimValidationFailed && cause.claim === 'aud';
  return isAimedElsewhere ? 'other_audience' : 'invalid_token';
}

/** Returns whether the cause of a refusal is the end of a token's life. */
export const isExpired = (cause: unknown): boolean => cause instanceof errors.JWTExpired;
