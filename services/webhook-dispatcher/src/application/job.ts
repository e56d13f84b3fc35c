import type { AttemptOutcome, DeliveryEvent } from '../domain/delivery/events.js';
import type { RetryPolicy } from '../domain/delivery/retry-policy.js';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { WebhookStatus } from '../domain/webhook/events.js';
import type { requestOptions } from '../domain/webhook/options.js';

/** Delivery that has a next attempt. */
export interface Job {
  /** dlv_… */
  readonly deliveryId: string;
  /** Day under which the delivery's rows are filed: YYYY-MM-DD. */
  readonly day: string;
  /** msg_… */
  readonly messageId: string;
  /** wh_… */
  readonly webhookId: string;
  /** Version of the webhook when it matched the event: the delivery is sent with this version or a newer one. */
  readonly webhookVersion: number;
  readonly userId: string;
  readonly kind: string;
  readonly shard: number;
  /** Number of the attempt to make: 1 for the first. */
  readonly attempt: number;
  /** Number of attempts that the owner requested, this one included: the schedule does not count them. */
  readonly unscheduled: number;
  readonly body: Buffer;
  /** W3C Trace Context of the event. */
  readonly traceparent?: string | undefined;
  /** Whether a replay sends it: live deliveries of the webhook go first. */
  readonly isReplay?: boolean;
}

/** Endpoint of a webhook and the way to send to it, in one version. */
export interface Target extends Partial<ReturnType<typeof requestOptions>> {
  readonly webhookId: string;
  readonly userId: string;
  readonly version: number;
  readonly url: string;
  readonly status: WebhookStatus;
  /** Secrets, newest first; empty: no secret signs. */
  readonly secrets: readonly Secret[];
  /** Headers of the webhook's owner, besides ours. */
  readonly headers?: CustomHeaders;
  /** Requests in a second, at most. */
  readonly rateLimit?: number;
  /** Schedule of this webhook; absent: the common one. */
  readonly retry?: RetryPolicy;
  /** Present while the circuit is open. */
  readonly rest?: Rest;
  /** Whether the last attempt failed, whichever replica made it. */
  readonly isFailing?: boolean;
}

/** Rest of an open circuit. */
export interface Rest {
  /** Time at which the next probe is due. */
  readonly probeAt: Date;
  /** Milliseconds of the whole rest. After a probe that fails the next rest is twice as long. */
  readonly restMs: number;
}

/** Secret that signs requests. */
export interface Secret {
  readonly version: number;
  readonly text: string;
  /** Present once a rotation has put another secret in front. */
  readonly expiresAt?: Date;
}

/** Returns the secrets that still sign at that time; the newest always does. */
export const validSecrets = (secrets: readonly Secret[], at: Date): readonly Secret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at);

/** Milliseconds that a new connection took; null: the connection existed already. */
export interface ConnectionTiming {
  /** Resolution of the name, with the check of its addresses; null also when the url has an address. */
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  /** TLS handshake; null also without TLS. */
  readonly tlsMs: number | null;
}

/** Record of one attempt. */
export interface AttemptRecord {
  /** Time in the request's headers, and in its signature. */
  readonly startedAt: Date;
  readonly outcome: AttemptOutcome;
  /** `succeeded` or a stable reason: http_500, timeout, dns_failed, … */
  readonly result: string;
  readonly httpStatus: number | null;
  /** Milliseconds until the response's headers came; null: they never came. */
  readonly headersMs: number | null;
  readonly totalMs: number;
  readonly connection: ConnectionTiming;
  /** Headers of the response as lines of `name: value`, up to a bound; empty: none came. */
  readonly headers: Buffer;
  /** First part of the response's body. */
  readonly sample: Buffer;
}

const CLIENT_ERRORS_THAT_COUNT = [408, 425, 429];

/**
 * Returns whether the attempt shows that the receiver is not well: slow, overloaded, broken, or refused by the egress
 * guard. A receiver that refuses what we send is alive.
 */
export function isFailing({ outcome, httpStatus }: Pick<AttemptRecord, 'outcome' | 'httpStatus'>) {
  if (outcome.kind === 'refused') return true;
  if (outcome.kind !== 'failed') return false;
  const isClientError = httpStatus !== null && httpStatus >= 400 && httpStatus < 500;
  return !isClientError || CLIENT_ERRORS_THAT_COUNT.includes(httpStatus);
}

/** Attempt and its consequence, ready to be written while the lease still has this epoch. */
export interface Result {
  readonly job: Job;
  readonly epoch: string;
  readonly at: Date;
  readonly record: AttemptRecord;
  readonly fact: DeliveryEvent;
  /** Version of the webhook to which the attempt was sent. */
  readonly version: number;
  /**
   * Whether the webhook is known to have changed during the attempt: the answer then says nothing about its new
   * version.
   */
  readonly isOutdated: boolean;
  /** Consequence instead of a fact that ends more than the delivery, for when the webhook turns out to have changed. */
  readonly otherwise?: DeliveryEvent | undefined;
}

/** Results that are written by one kind of statement. */
export type BatchName = 'attempts' | 'exhausted' | 'refused' | 'gone';
