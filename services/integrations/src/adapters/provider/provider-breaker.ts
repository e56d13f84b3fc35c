import CircuitBreaker from 'opossum';
import { ProviderError, type ProviderFailure } from '../../application/provider-error.js';

const SECOND_MS = 1_000;
const WINDOW_MS = 60 * SECOND_MS;
const RESET_MS = 10 * SECOND_MS;
const VOLUME_MIN = 20;
const FAILURE_PERCENT = 50;
const FAILURES_OF_ALL = new Set<ProviderFailure>(['unavailable', 'misconfigured']);

export type Guard = <T>(call: () => Promise<T>) => Promise<T>;

export interface ProviderBreaker {
  /** Rejects with ProviderError `circuit_open`, unsent, while the provider is given a rest. */
  readonly guard: Guard;
  readonly stop: () => void;
}

/** One breaker for each provider: while it is down, nobody waits for its timeouts. */
export function providerBreaker(name: string): ProviderBreaker {
  const breaker = new CircuitBreaker(async (call: () => Promise<unknown>) => call(), {
    name,
    rollingCountTimeout: WINDOW_MS,
    volumeThreshold: VOLUME_MIN,
    errorThresholdPercentage: FAILURE_PERCENT,
    resetTimeout: RESET_MS,
    // opossum's timeout would stop waiting without stopping the request. The call owns its deadline.
    timeout: false,
    // A provider that refuses one token is alive; one that refuses our client refuses every token.
    errorFilter: (error: unknown) =>
      !(error instanceof ProviderError && FAILURES_OF_ALL.has(error.failure)),
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });

  return {
    async guard<T>(call: () => Promise<T>): Promise<T> {
      try {
        return (await breaker.fire(call)) as T;
      } catch (error) {
        throw CircuitBreaker.isOurError(error as Error) ? resting() : error;
      }
    },
    stop: () => breaker.shutdown(),
  };
}

const resting = (): ProviderError =>
  new ProviderError({
    failure: 'unavailable',
    reason: 'circuit_open',
    sent: false,
    retryAfterMs: RESET_MS,
  });
