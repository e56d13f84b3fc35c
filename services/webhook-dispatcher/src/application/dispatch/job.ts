import type { AttemptOutcome, DeliveryEvent } from '../../domain/delivery/events.js';
import type { RetryPolicy } from '../../domain/delivery/retry-policy.js';
import type { CustomHeaders } from '../../domain/webhook/custom-headers.js';
import type { WebhookStatus } from '../../domain/webhook/events.js';
import type { Signature } from '../../domain/webhook/options.js';

/** One delivery that has a next attempt. */
export interface Job {
  /** dlv_… */
  readonly deliveryId: string;
  /** The day its rows are filed under: YYYY-MM-DD. */
  readonly day: string;
  /** msg_… */
  readonly messageId: string;
  /** wh_… */
  readonly webhookId: string;
  /** What the webhook must at least look like when this is sent: its version when it matched. */
  readonly webhookVersion: number;
  readonly userId: string;
  readonly kind: string;
  readonly shard: number;
  /** The number of the attempt to make: 1 for the first. */
  readonly attempt: number;
  /** How many attempts its owner asked for, this one included: the schedule does not count them. */
  readonly unscheduled: number;
  readonly body: Buffer;
  /** W3C Trace Context of its event. */
  readonly traceparent?: string | undefined;
}

/** Where and how to send, as of one version of the webhook. */
export interface Target {
  readonly webhookId: string;
  readonly userId: string;
  readonly version: number;
  readonly url: string;
  readonly status: WebhookStatus;
  /** Newest first; empty: no secret signs. */
  readonly secrets: readonly Secret[];
  /** ed25519: the service's keys sign as well. */
  readonly signature?: Signature;
  /** Its own, besides ours. */
  readonly headers?: CustomHeaders;
  /** Its receiver is told the trace of a delivery. */
  readonly traceContext?: boolean;
  /** One at a time, in the order of arrival. */
  readonly ordered?: boolean;
  /** Requests in a second, at most. */
  readonly rateLimit?: number;
  /** Instead of the schedule of all. */
  readonly retry?: RetryPolicy;
  /** Present while the circuit is open. */
  readonly rest?: Rest;
  /** Its last attempt failed, whoever made it. */
  readonly isFailing?: boolean;
}

/** How an open circuit rests. */
export interface Rest {
  /** When the next probe is due. */
  readonly probeAt: Date;
  /** How long it is from beginning to end. After a probe that fails the next is twice as long. */
  readonly restMs: number;
}

/** What requests are signed with. */
export interface Secret {
  readonly version: number;
  readonly text: string;
  /** Present once a rotation put another in its place. */
  readonly expiresAt?: Date;
}

/** Those that still sign at that time; the newest always does. */
export const validSecrets = (secrets: readonly Secret[], at: Date): readonly Secret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at);

/** Milliseconds that a new connection took; null where the connection was there already. */
export interface ConnectionTiming {
  /** Resolving the name, with the check of its addresses. null too for an address. */
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  /** null too without TLS. */
  readonly tlsMs: number | null;
}

/** What was seen of one attempt. */
export interface AttemptRecord {
  /** The time in its headers, and in its signature. */
  readonly startedAt: Date;
  readonly outcome: AttemptOutcome;
  /** `succeeded` or a stable reason: http_500, timeout, dns_failed, … */
  readonly result: string;
  readonly httpStatus: number | null;
  /** Until the response's headers were there; null: they never came. */
  readonly headersMs: number | null;
  readonly totalMs: number;
  readonly connection: ConnectionTiming;
  /** The response's headers as lines of `name: value`, up to a bound; empty: none came. */
  readonly headers: Buffer;
  /** The beginning of the response's body. */
  readonly sample: Buffer;
}

/** An attempt and what follows from it, ready to be written where the lease still has this epoch. */
export interface Result {
  readonly job: Job;
  readonly epoch: string;
  readonly at: Date;
  readonly record: AttemptRecord;
  readonly fact: DeliveryEvent;
  /** Of the webhook, as it was asked. */
  readonly version: number;
  /** The webhook is known to have changed while it was asked: the answer says nothing of how it is. */
  readonly isOutdated: boolean;
  /** With a fact that ends more than the delivery: what follows instead when the webhook turns out to have changed. */
  readonly otherwise?: DeliveryEvent;
}
