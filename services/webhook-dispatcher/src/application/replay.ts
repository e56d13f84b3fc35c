/** What can be replayed: what ended, and had not lost its webhook, and what waits for another attempt. */
export const REPLAYABLE = ['retrying', 'held', 'exhausted', 'refused', 'succeeded'] as const;

export type ReplayableOutcome = (typeof REPLAYABLE)[number];

/** Which deliveries of a webhook are to be sent again. */
export interface ReplaySpan {
  /** Made at this moment or later. */
  readonly from: Date;
  /** Made before this moment. */
  readonly to: Date;
  /** Undefined: every kind. */
  readonly kinds?: readonly string[] | undefined;
  readonly outcomes: readonly ReplayableOutcome[];
}

export interface ReplayCount {
  readonly count: number;
  /** False: there are at least so many; the time for counting was over. */
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
  /** Why it was cancelled: user, webhook_disabled, webhook_deleted. */
  readonly reason: string | null;
  /** Deliveries that were filed to be sent again. */
  readonly sent: number;
  /** Those that cannot be sent: their payload was redacted. */
  readonly skipped: number;
  /** How far into the span it has come, 0 to 1. */
  readonly progress: number;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
}
