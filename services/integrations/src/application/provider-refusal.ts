import { AppError, type AppErrorOptions } from '@junction/errors';
import { ProviderError } from './provider-error.js';

const RETRY_AFTER_MS = 10_000;
const SECOND_MS = 1_000;

/** Throws the answer for callers when a provider fails a request that could use nothing up. */
export function toAppError(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  throw providerUnavailable(error, 'Nothing was used up: try again in a moment.');
}

/** Returns the milliseconds for which the provider, or its breaker, asked to be left alone. */
export function askedRestMs(error: unknown): number {
  const isBusy = error instanceof ProviderError && error.failure === 'unavailable';
  return isBusy ? (error.retryAfterMs ?? 0) : 0;
}

/** Returns the options of a refusal whose code may not be sent again, and says so to programs too. */
export const usedUp = (message: string) => ({
  fields: [{ field: 'auth_code', code: 'used_up', message }],
});

export const beginAgain = (providerName: string): string =>
  `Begin again with GET /api/integrations/${providerName}/authorize.`;

/** Returns the answer for a user whose code was not exchanged. Its field `auth_code` tells when it is used up. */
export function codeRefusal(error: ProviderError, providerName: string): AppError {
  const begin = beginAgain(providerName);
  switch (error.failure) {
    case 'refused':
    case 'rejected':
      return invalidAuthCode(`The provider does not accept this code. ${begin}`, error);
    case 'misconfigured':
    case 'unavailable': {
      if (!error.sent) {
        return providerUnavailable(error, 'The code was not used up: try again in a moment.');
      }
      const advice = `The code may have been used up. ${begin}`;
      return providerUnavailable(error, advice, usedUp(advice));
    }
  }
}

export const invalidAuthCode = (message: string, cause?: Error): AppError =>
  new AppError('invalid_auth_code', message, {
    cause,
    fields: [{ field: 'auth_code', code: 'invalid_auth_code', message }],
  });

/** Returns the answer for a call that the provider failed. Nobody but operators can help against a refused client. */
export function providerUnavailable(
  error: ProviderError,
  advice: string,
  options: AppErrorOptions = {},
): AppError {
  const { failure, reason, retryAfterMs = RETRY_AFTER_MS } = error;
  const message =
    failure === 'misconfigured'
      ? `The provider does not accept this installation (${reason}). Its operator has to mend that; to begin again does not help.`
      : `The provider did not answer as it should (${reason}). ${advice}`;
  const about = { ...options, cause: error, retryAfterS: retryAfterMs / SECOND_MS };
  return new AppError('provider_unavailable', message, about);
}
