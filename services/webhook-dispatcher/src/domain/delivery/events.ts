import type { Event } from '@junction/eventsourcing';

/** Status of one delivery. `held` and `cancelled` also come from changes of its webhook. */
export type DeliveryStatus =
  | 'pending'
  | 'retrying'
  | 'held'
  | 'succeeded'
  | 'exhausted'
  | 'refused'
  | 'cancelled';

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'held',
  'succeeded',
  'exhausted',
  'refused',
  'cancelled',
] as const satisfies readonly DeliveryStatus[];

/** Facts of one delivery. They are rows of its attempts and outcomes, not a stream. */
export type DeliveryEvent =
  | Event<'delivery.succeeded', { readonly attempt: number }>
  | Event<
      'delivery.attempt_failed',
      { readonly attempt: number; readonly reason: string; readonly delayMs: number }
    >
  | Event<
      'delivery.exhausted',
      { readonly attempt: number; readonly reason: string; readonly gone: boolean }
    >
  | Event<'delivery.refused', { readonly attempt: number; readonly reason: string }>;

/** Outcome of one attempt. Reasons are stable codes: http_500, timeout, dns_failed, … */
export type AttemptOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number }
  /** The receiver answered 410, so nothing may be sent there again. */
  | { readonly kind: 'gone' }
  /**
   * The egress guard did not allow the request. It may allow the next one, since the address behind a name changes, and
   * so does a url.
   */
  | { readonly kind: 'refused'; readonly reason: string };
