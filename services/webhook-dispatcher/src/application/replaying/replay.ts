/**
 * Statuses of deliveries that can be replayed: those that ended without losing their webhook, and those that wait for
 * another attempt.
 */
export const REPLAYABLE = ['retrying', 'held', 'exhausted', 'refused', 'succeeded'] as const;

export type ReplayableOutcome = (typeof REPLAYABLE)[number];

/** Selection of the deliveries of a webhook that are to be sent again. */
export interface ReplaySpan {
  /** Earliest moment, inclusive, at which the delivery was made. */
  readonly from: Date;
  /** Moment before which the delivery was made. */
  readonly to: Date;
  /** Kinds of events; undefined: every kind. */
  readonly kinds?: readonly string[] | undefined;
  readonly outcomes: readonly ReplayableOutcome[];
}

export interface ReplayCount {
  readonly count: number;
  /** False when there are at least so many, because the time for counting was over. */
  readonly isExact: boolean;
}

/** A replay, as its owner sees it. */
export interface ReplayOperation extends ReplaySpan, ReplayCount {
  /** op_… */
  readonly operationId: string;
  /** wh_… */
  readonly webhookId: string;
  readonly userId: string;
  readonly status: 'running' | 'completed' | 'cancelled';
  /** Reason why the replay was cancelled: user, webhook_disabled, webhook_deleted. */
  readonly reason: string | null;
  /** Number of deliveries that were filed to be sent again. */
  readonly sent: number;
  /** Number of deliveries that cannot be sent, because their payload was redacted. */
  readonly skipped: number;
  /** Last delivery that was looked at; null: none was. */
  readonly lastDeliveryId: string | null;
  /** Position within the span, 0 to 1. */
  readonly progress: number;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
}
