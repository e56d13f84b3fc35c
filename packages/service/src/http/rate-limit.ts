import type { AppError } from '@junction/errors';
import type { RequestHandler, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientNetworks } from './client-network.js';

const SECOND_MS = 1_000;

/** Limit of requests, or of another unit, within a window. */
export interface RateLimitPolicy {
  /** Lower case, digits and hyphens. */
  readonly name: string;
  readonly limit: number;
  readonly windowS: number;
  /** Absent: requests. */
  readonly unit?: 'content-bytes';
}

/** Use that a caller has made of a limit. */
export interface RateLimitState extends RateLimitPolicy {
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetS: number;
}

/** The same for requests that are open at the same time: there is no window to wait for. */
export interface ConcurrencyState extends Pick<RateLimitState, 'name' | 'limit' | 'remaining'> {
  readonly unit?: undefined;
  readonly windowS?: undefined;
}

const states = new WeakMap<Response, Map<string, RateLimitState | ConcurrencyState>>();

/**
 * Shows in the answer how its caller stands with a limit, whether it is let through or not
 * (draft-ietf-httpapi-ratelimit-headers-10). A request may meet several; what is said last of one holds.
 */
export function showRateLimit(res: Response, state: RateLimitState | ConcurrencyState): void {
  const shown = states.get(res) ?? new Map<string, RateLimitState | ConcurrencyState>();
  states.set(res, shown.set(state.name, state));
  const all = [...shown.values()];
  res.set({
    'ratelimit-policy': all.map(policyItem).join(', '),
    ratelimit: all.map(stateItem).join(', '),
  });
}

function policyItem({ name, limit, unit, windowS }: RateLimitState | ConcurrencyState): string {
  if (windowS === undefined) return `"${name}";q=${limit};qu="concurrent-requests"`;
  return `"${name}";q=${limit};${unit === undefined ? '' : `qu="${unit}";`}w=${windowS}`;
}

function stateItem(state: RateLimitState | ConcurrencyState): string {
  const left = `"${state.name}";r=${state.remaining}`;
  return state.windowS === undefined ? left : `${left};t=${Math.ceil(state.resetS)}`;
}

export interface RateLimitOptions extends RateLimitPolicy {
  readonly refusal: (resetS: number) => AppError;
}

/**
 * Lets so many requests of one network through, as far as this process sees them. A request that a narrow network is
 * refused does not count for the wider ones, so that it cannot use up what its neighbours may have.
 */
export function rateLimit({ refusal, ...policy }: RateLimitOptions): RequestHandler {
  const limiter = new RateLimiterMemory({ points: policy.limit, duration: policy.windowS });
  return async (req, res, next) => {
    const states: RateLimitState[] = [];
    for (const { name, times } of clientNetworks(req.ip ?? '')) {
      const used = await limiter.penalty(name);
      const limit = policy.limit * times;
      const remaining = limit - used.consumedPoints;
      const state = { ...policy, limit, remaining, resetS: used.msBeforeNext / SECOND_MS };
      if (remaining < 0) {
        showRateLimit(res, { ...state, remaining: 0 });
        throw refusal(state.resetS);
      }
      states.push(state);
    }
    for (const state of tightest(states)) showRateLimit(res, state);
    next();
  };
}

/** Keeps of each limit the state with the least left. */
export function tightest<S extends Pick<RateLimitState, 'name' | 'remaining'>>(
  states: readonly S[],
): readonly S[] {
  const found = new Map<string, S>();
  for (const state of states) {
    const known = found.get(state.name);
    if (known === undefined || state.remaining < known.remaining) found.set(state.name, state);
  }
  return [...found.values()];
}
