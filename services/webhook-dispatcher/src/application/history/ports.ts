import type { DeliveryStatus } from '../../domain/delivery/events.js';
import type { Verdict } from '../../domain/delivery/match.js';
import type { ConnectionTiming } from '../job.js';
import type { Page, PageRequest } from '../page.js';

/** A delivery as far as its owner may know it without decryption. */
export interface DeliverySummary {
  /** dlv_… */
  readonly deliveryId: string;
  /** wh_… */
  readonly webhookId: string;
  /** null: the webhook was deleted. */
  readonly webhookUrl: string | null;
  readonly webhookDescription: string | null;
  /** msg_…: the webhook-id header of every attempt. */
  readonly messageId: string;
  readonly kind: string;
  readonly status: DeliveryStatus;
  /** Reason why the delivery was held, refused, cancelled or given up, or the result of the last attempt. */
  readonly reason: string | null;
  readonly attempts: number;
  /** HTTP status of the answer to the last attempt; null: no answer came. */
  readonly httpStatus: number | null;
  /** Time when the event was taken in; of a repeated delivery, when the repetition was requested. */
  readonly createdAt: Date;
  /** Time of the event, as its producer says; null: the version that filed the delivery did not keep it. */
  readonly eventTime: Date | null;
  readonly nextAttemptAt: Date | null;
  /** Time when the delivery ended; null while it may still be sent. */
  readonly endedAt: Date | null;
  /** Id (dlv_…) of the first delivery that this one repeats; null: this is the first. */
  readonly originalId: string | null;
  /** Id (op_…) of the replay that sent the delivery; null: none did. */
  readonly operationId: string | null;
  /** Whether the delivery tried the webhook out, or repeats one that did. */
  readonly isTest: boolean;
  /** Time when the body and the answers were redacted; null: they were not. */
  readonly redactedAt: Date | null;
}

export interface DeliveryDetail extends DeliverySummary {
  /** Bytes of the request, the same in every attempt; undefined when they are no longer stored. */
  readonly body: Buffer | undefined;
  /** W3C Trace Context of the event; null: none is known. */
  readonly traceparent: string | null;
  readonly log: readonly LoggedAttempt[];
}

export interface LoggedAttempt {
  readonly attempt: number;
  /** Time when the attempt started. */
  readonly at: Date;
  /** `succeeded` or the reason of the failure: http_500, timeout, … */
  readonly result: string;
  readonly httpStatus: number | null;
  readonly headersMs: number | null;
  readonly totalMs: number;
  readonly connection: ConnectionTiming;
  /** Headers of the response; undefined: none came, or they are no longer stored. */
  readonly responseHeaders: Buffer | undefined;
  /** First part of the response's body, as text. */
  readonly responseSample: string | null;
}

export interface HttpStatusRange {
  readonly min: number;
  /** Highest status of the range, inclusive. */
  readonly max: number;
}

export interface DeliveryFilter extends PageRequest {
  /** Statuses, of which a delivery must have one. */
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  /** Whether the delivery was sent again since. */
  readonly isSentAgain?: boolean | undefined;
  readonly kind?: string | undefined;
  /** HTTP status of the answer to the last attempt. */
  readonly httpStatus?: HttpStatusRange | undefined;
  /** msg_… */
  readonly messageId?: string | undefined;
  /** Text in the ids, the kind, the reason, or the body as it was sent; case makes no difference. */
  readonly text?: string | undefined;
  /** Earliest moment, inclusive, at which the delivery was made. */
  readonly from?: Date | undefined;
  /** Moment before which the delivery was made. */
  readonly to?: Date | undefined;
}

/** An event that came for a user, and the verdicts of their webhooks. */
export interface EventSummary {
  /** msg_… */
  readonly messageId: string;
  /** ce_source and ce_id, by which the producer named the event. */
  readonly source: string;
  readonly id: string;
  readonly kind: string;
  readonly receivedAt: Date;
  /** Verdicts by webhook (wh_…): pending or held when the webhook matched, otherwise the reason why not. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** Number of times that the event came again and was dropped. */
  readonly repeats: number;
  /** Time of the last repeat; null: the event came once. */
  readonly repeatedAt: Date | null;
}

export interface EventDetail extends EventSummary {
  /** Deliveries of the event, repeats included. */
  readonly deliveries: readonly DeliverySummary[];
}

export interface SeenEventFilter {
  /** Event with which the last page ended. */
  readonly after?: { readonly atMicros: string; readonly messageId: string } | undefined;
  readonly limit: number;
  readonly kind?: string | undefined;
}

export interface DeliveryReads {
  /** Returns the deliveries of these webhooks that pass the filter. */
  page(webhookIds: readonly string[], filter: DeliveryFilter): Promise<Page<DeliverySummary>>;
  detail(userId: string, deliveryId: string): Promise<DeliveryDetail | undefined>;
  /** Returns the bodies of these deliveries of the user by their ids, as far as they are still stored. */
  bodies(userId: string, deliveryIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export interface EventReads {
  page(userId: string, filter: SeenEventFilter): Promise<Page<EventSummary>>;
  detail(userId: string, messageId: string): Promise<EventDetail | undefined>;
}
