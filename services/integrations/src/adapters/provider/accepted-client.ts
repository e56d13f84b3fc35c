import { ProviderError } from '../../application/provider-error.js';

/** A breaker remembers failures as long. */
const ACCEPTED_FOR_MS = 60_000;
const TOLD_FOR_MS = 3_600_000;

/** Reasons for which a provider may refuse a client for one account alone. Others speak of the application itself. */
const MAY_BE_ABOUT_ACCOUNT = new Set(['invalid_client', 'unauthorized_client']);

/** Makes a call, and looks at what comes of it. */
export type Watch = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Watches the calls of one client. A provider that issued tokens a moment ago accepts the client: when it then says
 * that it does not, only one account, or the account's organisation, is affected.
 */
export function acceptedClient(monotonicMs: () => number = () => performance.now()): Watch {
  let acceptedUntilMs = Number.NEGATIVE_INFINITY;
  return async (call) => {
    try {
      const tokens = await call();
      acceptedUntilMs = monotonicMs() + ACCEPTED_FOR_MS;
      return tokens;
    } catch (error) {
      const isDoubtful = isRefusal(error) && MAY_BE_ABOUT_ACCOUNT.has(error.reason);
      if (!isDoubtful || monotonicMs() >= acceptedUntilMs) throw error;
      const { sent, httpStatus, retryAfterMs, recovered } = error;
      throw new ProviderError({ ...ABOUT_ACCOUNT, sent, httpStatus, retryAfterMs, recovered });
    }
  };
}

const ABOUT_ACCOUNT = { failure: 'rejected', reason: 'account_not_allowed' } as const;

/**
 * Watches the calls of one client, and calls `tell` with each reason for which the provider refuses it: once an hour,
 * because every call hears the same.
 */
export function refusedClient(
  tell: (reason: string) => void,
  monotonicMs: () => number = () => performance.now(),
): Watch {
  const toldUntilMs = new Map<string, number>();
  return async (call) => {
    try {
      return await call();
    } catch (error) {
      const nowMs = monotonicMs();
      if (isRefusal(error) && nowMs >= (toldUntilMs.get(error.reason) ?? 0)) {
        toldUntilMs.set(error.reason, nowMs + TOLD_FOR_MS);
        tell(error.reason);
      }
      throw error;
    }
  };
}

const isRefusal = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.failure === 'misconfigured';
