import type { Verdict } from '../domain/delivery/match.js';
import type { DeliverySummary } from './delivery-log.js';

/** An event that came for a user, and what their webhooks made of it. */
export interface EventSummary {
  /** msg_… */
  readonly messageId: string;
  /** ce_source and ce_id, as its producer named it. */
  readonly source: string;
  readonly id: string;
  readonly kind: string;
  readonly receivedAt: Date;
  /** For each webhook there was (wh_…): pending or held when it matched, otherwise why it did not. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** How often it came again, and was dropped. */
  readonly repeats: number;
  /** null: it came once. */
  readonly repeatedAt: Date | null;
}

export interface EventDetail extends EventSummary {
  /** What was filed for those that matched, repeats too. */
  readonly deliveries: readonly DeliverySummary[];
}

export interface SeenEventFilter {
  /** The event the last page ended with. */
  readonly after?: { readonly atMicros: string; readonly messageId: string } | undefined;
  readonly limit: number;
  readonly kind?: string | undefined;
}
