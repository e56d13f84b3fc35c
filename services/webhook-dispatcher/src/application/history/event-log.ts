import type { Verdict } from '../../domain/delivery/match.js';
import type { DeliverySummary } from './delivery-log.js';

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
