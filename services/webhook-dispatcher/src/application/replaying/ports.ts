import type { DeliveryStatus } from '../../domain/delivery/events.js';

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
  /** Number of its deliveries that may be due at once. */
  readonly room: number;
  /** Deliveries that were filed in a second, on average over the last ten. */
  readonly perS: number;
  /** Time until which it waits, because its user has had as much sent as may be; null: it does not wait. */
  readonly waitsUntil: Date | null;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
}

/** Most deliveries of one replay that may be due at once: with more, others wait for longer than is fair. */
export const ROOM_MAX = 400;

/** Day and id by which the row of a delivery is found. */
export interface DeliveryKey {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** dlv_… */
  readonly deliveryId: string;
}

/** A delivery together with those that repeat it. */
export interface Standing extends DeliveryKey {
  readonly isRedacted: boolean;
  /** Size of the body as it is stored. */
  readonly bytes: number;
  /** pending or retrying if one of them is, succeeded if one of them did, else the status of the latest. */
  readonly status: DeliveryStatus;
}

/** A delivery that lies in the time of a replay. */
export interface Candidate extends Standing {
  /** null: retention has just taken the delivery, and its outcome not yet. */
  readonly kind: string | null;
  /** The delivery repeats another one, which stands for both; not of one that is found because it waits. */
  readonly isRepeat: boolean;
}

/** Content of a delivery, which its repeats have too. */
export interface DeliveryContent {
  /** dlv_… */
  readonly deliveryId: string;
  /** msg_… */
  readonly messageId: string;
  /** wh_… */
  readonly webhookId: string;
  readonly userId: string;
  readonly kind: string;
  readonly isTest: boolean | null;
  readonly body: Buffer;
  readonly traceparent: string | null;
  readonly eventTime: Date | null;
}

/** A new delivery that repeats another one. */
export interface Repeat extends DeliveryContent {
  readonly originalId: string;
  readonly shard: number;
}
