import { skewClock } from './clock.js';
import type { SecurityEvents, SecurityEventType } from './security-events.js';
import type { Store } from './store.js';

/** The endpoints that can be counted and made to fail, by their method and path. */
const PATHS = {
  'POST /token': 'token',
  'POST /token/revocation': 'revocation',
  'POST /token/introspection': 'introspection',
  'GET /jwks': 'jwks',
} as const;

export type Endpoint = (typeof PATHS)[keyof typeof PATHS];

export const ENDPOINTS = Object.values(PATHS);

export const endpointAt = (methodAndPath: string): Endpoint | undefined =>
  methodAndPath in PATHS ? PATHS[methodAndPath as keyof typeof PATHS] : undefined;

const NO_CALLS = { token: 0, revocation: 0, introspection: 0, jwks: 0 };

/** A fault of an endpoint. */
export interface Fault {
  readonly endpoint: Endpoint;
  /** Number of the next calls that the fault affects. */
  readonly calls: number;
  /** Waited for before anything else. */
  readonly delayMs?: number | undefined;
  /** Answered in place of the right answer. Without it a fault only delays. */
  readonly status?: number | undefined;
  /** The OAuth error code beside the status; `temporarily_unavailable` without one. */
  readonly error?: string | undefined;
  /** Seconds, beside the status: Retry-After. */
  readonly retryAfterS?: number | undefined;
  /** True: the call is carried out and its answer lost, a rotated refresh token with it. */
  readonly lateFailure?: boolean | undefined;
}

/** The hands of a test on a running provider. */
export interface Control {
  /** Replaces an earlier fault of the same endpoint. */
  fail(fault: Fault): void;
  /** Calls received since the start or the last reset, failed ones included. */
  calls(): Readonly<Record<Endpoint, number>>;
  /** Forgets faults and counts, and puts the clock right; grants stay. */
  reset(): void;
  /** Ends all grants of an account, or those of one client; returns how many. */
  revokeAccount(email: string, clientId?: string): number;
  /**
   * Has this happen to an account, and its apps told, or one of them; returns how many events are sent.
   * Tokens end if the event says so.
   */
  happen(type: SecurityEventType, email: string, clientId?: string): number;
  /** Has the clock of the whole process run so many seconds ahead, or behind where it is negative. */
  skewClock(skewS: number): void;
  /** Signs with a new key from now on. The previous key stays in the JWKS until the next rotation. */
  rotateSigningKey(): Promise<void>;
  /** Counts a call and returns the fault it meets. */
  received(endpoint: Endpoint): Fault | undefined;
}

export interface ControlNeeds {
  readonly store: Store;
  readonly events: SecurityEvents;
  readonly rotateSigningKey: () => Promise<void>;
}

export function createControl({ store, events, rotateSigningKey }: ControlNeeds): Control {
  const faults = new Map<Endpoint, { readonly fault: Fault; callsLeft: number }>();
  const counts = { ...NO_CALLS };

  return {
    fail(fault) {
      faults.set(fault.endpoint, { fault, callsLeft: fault.calls });
    },
    calls: () => ({ ...counts }),
    reset() {
      faults.clear();
      Object.assign(counts, NO_CALLS);
      skewClock(0);
    },
    revokeAccount(email, clientId) {
      const grants = store.grantsOf(accountOf(email), clientId);
      grants.forEach(store.revokeGrant);
      return grants.length;
    },
    happen: (type, email, clientId) => events.happen(type, accountOf(email), clientId),
    skewClock,
    rotateSigningKey,
    received(endpoint) {
      counts[endpoint] += 1;
      const planned = faults.get(endpoint);
      if (!planned || planned.callsLeft <= 0) return undefined;
      planned.callsLeft -= 1;
      return planned.fault;
    },
  };
}

const accountOf = (email: string): string => email.trim().toLowerCase();
