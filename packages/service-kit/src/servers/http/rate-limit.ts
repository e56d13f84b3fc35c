import type { AppError } from '@junction/errors';
import type { Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const SECOND_MS = 1_000;

/** So many requests within so many seconds. */
export interface RateLimitPolicy {
  /** Lower case, digits and hyphens. */
  readonly name: string;
  readonly limit: number;
  readonly windowS: number;
}

/** How a caller stands with one limit. */
export interface RateLimitState extends RateLimitPolicy {
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetS: number;
}

/** The same for requests that are open at the same time: there is no window to wait for. */
export interface ConcurrencyState extends Pick<RateLimitState, 'name' | 'limit' | 'remaining'> {
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

function policyItem({ name, limit, windowS }: RateLimitState | ConcurrencyState): string {
  const over = windowS === undefined ? 'qu="concurrent-requests"' : `w=${windowS}`;
  return `"${name}";q=${limit};${over}`;
}

function stateItem(state: RateLimitState | ConcurrencyState): string {
  const left = `"${state.name}";r=${state.remaining}`;
  return state.windowS === undefined ? left : `${left};t=${Math.ceil(state.resetS)}`;
}

export interface RateLimitOptions extends RateLimitPolicy {
  /** Whose requests are counted together. */
  readonly keyOf: (req: Request, res: Response) => string;
  readonly refusal: (resetS: number) => AppError;
}

/** Lets so many requests of one key through, as far as this process sees them. */
export function rateLimit({ keyOf, refusal, ...policy }: RateLimitOptions): RequestHandler {
  const { limit, windowS } = policy;
  const limiter = new RateLimiterMemory({ points: limit, duration: windowS });
  return async (req, res, next) => {
    const used = await limiter.consume(keyOf(req, res)).catch(usedUp);
    const resetS = used.msBeforeNext / SECOND_MS;
    showRateLimit(res, { ...policy, remaining: used.remainingPoints, resetS });
    if (used.consumedPoints > limit) throw refusal(resetS);
    next();
  };
}

/** What the limiter rejects with. */
function usedUp(error: unknown): RateLimiterRes {
  if (error instanceof RateLimiterRes) return error;
  throw error;
}
