import type { DeliveryStatus } from '../domain/delivery/events.js';
import type { ConnectionTiming } from './dispatch/job.js';
import type { PageRequest } from './page.js';

/** What its owner may know of a delivery without opening it. */
export interface DeliverySummary {
  /** dlv_… */
  readonly deliveryId: string;
  /** wh_… */
  readonly webhookId: string;
  /** msg_…: the webhook-id header of every attempt. */
  readonly messageId: string;
  readonly kind: string;
  readonly status: DeliveryStatus;
  /** Why it was held, refused, cancelled or given up, or what the last attempt ended with. */
  readonly reason: string | null;
  readonly attempts: number;
  /** Of the answer to the last attempt; null: none came. */
  readonly httpStatus: number | null;
  /** When the event was taken in; of one that repeats another, when that was asked for. */
  readonly createdAt: Date;
  /** When what it tells of happened, as the producer of the event says; null: filed by a version that did not keep it. */
  readonly eventTime: Date | null;
  readonly nextAttemptAt: Date | null;
  /** When it was decided; null while it still may go out. */
  readonly endedAt: Date | null;
  /** dlv_… of the first delivery that this one repeats; null: it is the first. */
  readonly originalId: string | null;
  /** op_… of the replay that sent it; null: none did. */
  readonly operationId: string | null;
  /** It was sent to try the webhook out, or repeats one that was. */
  readonly isTest: boolean;
  /** When its body and its answers were redacted; null: they were not. */
  readonly redactedAt: Date | null;
}

export interface DeliveryDetail extends DeliverySummary {
  /** The bytes of the request, the same in every attempt; undefined when they are not here any more. */
  readonly body: Buffer | undefined;
  /** W3C Trace Context of its event; null: none that is known. */
  readonly traceparent: string | null;
  readonly log: readonly LoggedAttempt[];
}

export interface LoggedAttempt {
  readonly attempt: number;
  /** When it began. */
  readonly at: Date;
  /** `succeeded` or why not: http_500, timeout, … */
  readonly result: string;
  readonly httpStatus: number | null;
  readonly headersMs: number | null;
  readonly totalMs: number;
  readonly connection: ConnectionTiming;
  /** Undefined: none came, or they are not here any more. */
  readonly responseHeaders: Buffer | undefined;
  /** The beginning of the response's body, as text. */
  readonly responseSample: string | null;
}

export interface HttpStatusRange {
  readonly min: number;
  /** Inclusive. */
  readonly max: number;
}

export interface DeliveryFilter extends PageRequest {
  /** Statuses of which a delivery has one. */
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly kind?: string | undefined;
  /** What the last attempt was answered with. */
  readonly httpStatus?: HttpStatusRange | undefined;
  /** msg_… */
  readonly messageId?: string | undefined;
  /** In its ids, kind, reason, or the body as it was sent; case makes no difference. */
  readonly text?: string | undefined;
  /** Made at this moment or later. */
  readonly from?: Date | undefined;
  /** Made before this moment. */
  readonly to?: Date | undefined;
}
