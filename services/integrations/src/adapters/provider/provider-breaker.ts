import CircuitBreaker from 'opossum';
import { ProviderError, type ProviderFailure } from '../../application/provider-error.js';

const SECOND_MS = 1_000;
const WINDOW_MS = 60 * SECOND_MS;
const RESET_MS = 10 * SECOND_MS;
const VOLUME_MIN = 20;
const FAILURE_PERCENT = 50;
const FAILURES_OF_ALL = new Set<ProviderFailure>(['unavailable', 'misconfigured']);

/**
 * Makes a call under a breaker. `whose`: the user, or the connection, that it is made for. What the calls of one fail
 * with may be their own doing, so that of all these failures one counts.
 */
export type Guard = <T>(call: () => Promise<T>, whose?: string) => Promise<T>;

export interface ProviderBreaker {
  /** Rejects with ProviderError `circuit_open`, unsent, while the provider is given a rest. */
  readonly guard: Guard;
  readonly stop: () => void;
}

/** Guards of the calls of one client, each with a breaker of its own. */
export interface ProviderGuards {
  /** Guard of refreshes. */
  readonly guard: Guard;
  /** Guard of code exchanges. Users send codes, so failing codes must keep nobody from refreshing. */
  readonly exchangeGuard: Guard;
  /** Guard of introspection: its failures must keep nobody from refreshing. */
  readonly askingGuard: Guard;
}

export function providerGuards(client: string): ProviderGuards & Pick<ProviderBreaker, 'stop'> {
  const refreshes = providerBreaker(client);
  const exchanges = providerBreaker(`${client} exchange`);
  const introspections = providerBreaker(`${client} introspection`);
  return {
    guard: refreshes.guard,
    exchangeGuard: exchanges.guard,
    askingGuard: introspections.guard,
    stop: () => [refreshes, exchanges, introspections].forEach(({ stop }) => stop()),
  };
}

/** Creates the breaker of a provider, so that no call waits for the timeouts of a provider that is down. */
export function providerBreaker(name: string): ProviderBreaker {
  const failed = new Failed();
  const breaker = new CircuitBreaker(async (call: () => Promise<unknown>) => call(), {
    name,
    rollingCountTimeout: WINDOW_MS,
    volumeThreshold: VOLUME_MIN,
    errorThresholdPercentage: FAILURE_PERCENT,
    resetTimeout: RESET_MS,
    // opossum's timeout would stop waiting without stopping the request. The call owns its deadline.
    timeout: false,
    // A provider that refuses one token is alive; a provider that refuses our client refuses every token.
    errorFilter: (error: unknown) => !isFailureOfAll(error),
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });

  return {
    async guard<T>(call: () => Promise<T>, whose?: string): Promise<T> {
      if (breaker.closed && whose !== undefined && failed.has(whose)) return call();
      try {
        return (await breaker.fire(call)) as T;
      } catch (error) {
        if (whose !== undefined && isFailureOfAll(error)) failed.add(whose);
        throw CircuitBreaker.isOurError(error as Error) ? resting() : error;
      }
    },
    stop: () => breaker.shutdown(),
  };
}

const isFailureOfAll = (error: unknown): boolean =>
  error instanceof ProviderError && FAILURES_OF_ALL.has(error.failure);

/** Set of users or connections that have a counted failure in the current window. */
class Failed {
  readonly #sinceMs = new Map<string, number>();

  add(whose: string): void {
    const nowMs = performance.now();
    // The oldest come first.
    for (const [known, sinceMs] of this.#sinceMs) {
      if (nowMs - sinceMs < WINDOW_MS) break;
      this.#sinceMs.delete(known);
    }
    this.#sinceMs.delete(whose);
    this.#sinceMs.set(whose, nowMs);
  }

  has(whose: string): boolean {
    const sinceMs = this.#sinceMs.get(whose);
    return sinceMs !== undefined && performance.now() - sinceMs < WINDOW_MS;
  }
}

const resting = (): ProviderError =>
  new ProviderError({
    failure: 'unavailable',
    reason: 'circuit_open',
    sent: false,
    retryAfterMs: RESET_MS,
  });
