import { ProviderError } from '../../application/provider-error.js';

/** A breaker remembers failures as long. */
const ACCEPTED_FOR_MS = 60_000;

/**
 * Watches the calls of one client. A provider that issued tokens a moment ago accepts the client: when it then says
 * that it does not, only one account, or the account's organisation, is affected.
 */
export function acceptedClient(
  monotonicMs: () => number = () => performance.now(),
): <T>(call: () => Promise<T>) => Promise<T> {
  let acceptedUntilMs = Number.NEGATIVE_INFINITY;
  return async (call) => {
    try {
      const tokens = await call();
      acceptedUntilMs = monotonicMs() + ACCEPTED_FOR_MS;
      return tokens;
    } catch (error) {
      const isAboutClient = error instanceof ProviderError && error.failure === 'misconfigured';
      if (!isAboutClient || monotonicMs() >= acceptedUntilMs) throw error;
      const { sent, httpStatus, retryAfterMs, recovered } = error;
      throw new ProviderError({ ...ABOUT_ACCOUNT, sent, httpStatus, retryAfterMs, recovered });
    }
  };
}

const ABOUT_ACCOUNT = { failure: 'rejected', reason: 'account_not_allowed' } as const;
