/**
 * `refused`: this code or refresh token is no good, and asking again will not help.
 * `rejected`: it was turned down, which leaves open whether the grant still stands.
 * `misconfigured`: the provider does not accept our own client.
 * `unavailable`: it did not answer, or not as it should; later it may.
 */
export type ProviderFailure = 'refused' | 'rejected' | 'misconfigured' | 'unavailable';

export interface ProviderErrorOptions {
  readonly failure: ProviderFailure;
  /** Stable code: the provider's own error, or our name for the failure (timeout, http_503, not_json). */
  readonly reason: string;
  /** Whether the request may have reached the provider. False: it surely did not. */
  readonly sent: boolean;
  /** Status of the answer; undefined when none came. */
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Tokens that the answer held all the same. They must be kept or revoked, not lost. */
  readonly recovered?: RecoveredTokens | undefined;
}

export interface RecoveredTokens {
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

/**
 * Failure of a call to a provider. The error has no cause on purpose: the errors of the OAuth library carry whole
 * answers, with tokens in them.
 */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  readonly reason: string;
  readonly sent: boolean;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly #recovered: RecoveredTokens;

  constructor(options: ProviderErrorOptions) {
    const { failure, reason, sent, httpStatus, retryAfterMs, recovered = {} } = options;
    super(`The provider's answer was ${failure}: ${reason}.`);
    this.name = new.target.name;
    this.failure = failure;
    this.reason = reason;
    this.sent = sent;
    this.httpStatus = httpStatus;
    this.retryAfterMs = retryAfterMs;
    this.#recovered = recovered;
  }

  /** Private, so that nothing that prints an error can print it. */
  get recovered(): RecoveredTokens {
    return this.#recovered;
  }
}
