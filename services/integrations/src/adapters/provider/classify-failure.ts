import { AnswerFault } from '@junction/service/callers';
import { KeysUnavailable, retryAfterMs } from '@junction/service/outbound';
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { ProviderError, type ProviderFailure } from '../../application/provider-error.js';
import { meaningOf } from './error-meanings.js';
import type { CallNotes } from './recovering-fetch.js';

/** Longest wait that a provider's Retry-After can ask for. */
const RETRY_AFTER_MAX_MS = 3_600_000;

/** Names of the OAuth library for its failures, with our codes. */
const LIBRARY_CODES: Readonly<Record<string, string>> = {
  OAUTH_TIMEOUT: 'timeout',
  OAUTH_ABORT: 'timeout',
  OAUTH_RESPONSE_IS_NOT_JSON: 'not_json',
  OAUTH_PARSE_ERROR: 'not_json',
  OAUTH_INVALID_RESPONSE: 'malformed_answer',
  OAUTH_UNSUPPORTED_OPERATION: 'unsupported_answer',
};

/** Converts anything that a call threw into an error that the application can act on, and drops the rest. */
export function classifyFailure(error: unknown, notes: CallNotes): ProviderError {
  if (error instanceof ProviderError) return error;
  const response = responseOf(error);
  const { sent, httpStatus, tokens: recovered } = notes;
  return new ProviderError({
    ...failureOf(error, response?.status, notes),
    sent,
    httpStatus,
    recovered,
    retryAfterMs: askedToWaitMs(response),
  });
}

function failureOf(
  error: unknown,
  status: number | undefined,
  { refusal, httpStatus = 0 }: CallNotes,
): { readonly failure: ProviderFailure; readonly reason: string } {
  if (error instanceof AnswerFault) return { failure: error.failure, reason: error.reason };
  if (error instanceof KeysUnavailable) return { failure: 'unavailable', reason: error.reason };
  // Busy is busy, whatever stands in the body.
  if (status === 408 || status === 425 || status === 429 || (status ?? 0) >= 500) {
    return { failure: 'unavailable', reason: `http_${status}` };
  }
  if (refusal !== undefined) {
    const reason = httpStatus >= 300 ? `http_${httpStatus}` : 'provider_error';
    return meaningOf(refusal) ?? { failure: 'rejected', reason };
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return { failure: 'misconfigured', reason: 'invalid_client' };
  }
  if (error instanceof ResponseBodyError) {
    return meaningOf([error.error]) ?? { failure: 'rejected', reason: 'provider_error' };
  }
  const code = error instanceof ClientError ? (error.code ?? '') : '';
  const reason = LIBRARY_CODES[code] ?? (status === undefined ? 'unreachable' : `http_${status}`);
  return { failure: 'unavailable', reason };
}

function responseOf(error: unknown): Response | undefined {
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    return error.response;
  }
  return error instanceof Error && error.cause instanceof Response ? error.cause : undefined;
}

function askedToWaitMs(response: Response | undefined): number | undefined {
  const ms = retryAfterMs(response?.headers.get('retry-after') ?? '', Date.now());
  return ms === undefined ? undefined : Math.min(ms, RETRY_AFTER_MAX_MS);
}
