import {
  type Candidate,
  type DeliveryKey,
  type ReplayOperation,
  type ReplaySpan,
  ROOM_MAX,
} from './ports.js';

/** Number of deliveries looked at for one batch, and sent by it: bodies of up to 256 KB each are in memory. */
export const SCANNED_MAX = 200;
export const BATCH_MAX = 100;

/** Deliveries that may be due at once of the slowest receiver: as many again as are under way to it at most. */
const ROOM_MIN = 64;
/** Seconds of answers that may be due at once. */
const ROOM_S = 2;

/**
 * Returns how many deliveries of the replay may be due at once, while so many are: as many as the receiver answers in
 * two seconds. Twice as many, if it has answered all of them before the next came.
 */
export function roomAfter(
  { room, perS }: Pick<ReplayOperation, 'room' | 'perS'>,
  due: number,
): number {
  const wanted = due === 0 ? room * 2 : Math.min(room, Math.round(perS * ROOM_S));
  return Math.min(ROOM_MAX, Math.max(ROOM_MIN, wanted));
}

/** Reason why a replay is cancelled that can send nothing: the webhook has this status; undefined: it is deleted. */
export function obstacleOf(status: string | undefined): string | undefined {
  if (status === undefined) return 'webhook_deleted';
  return status === 'disabled' ? 'webhook_disabled' : undefined;
}

/** Returns true when the replay wants the delivery. */
export const fits = (candidate: Candidate, { kinds, outcomes }: ReplaySpan): boolean =>
  candidate.kind !== null &&
  !candidate.isRepeat &&
  !candidate.isRedacted &&
  (kinds === undefined || kinds.includes(candidate.kind)) &&
  (outcomes as readonly string[]).includes(candidate.status);

/** Deliveries that a replay sends at once. */
export interface Batch {
  /** Deliveries that wait for another attempt, which is made now. */
  readonly waiting: readonly string[];
  /** Deliveries that ended, each of which gets a repeat. */
  readonly ended: readonly DeliveryKey[];
  /** Last delivery that was looked at: the next batch begins after it; null: there was none. */
  readonly lastDeliveryId: string | null;
  /** Nothing of the span is left after this batch. */
  readonly isLast: boolean;
  /** Size of the bodies. */
  readonly bytes: number;
  /** Nothing is chosen, because the next delivery has more bytes than are left. */
  readonly isShort: boolean;
}

export interface Free {
  readonly deliveries: number;
  readonly bytes: number;
}

/** Chooses as many of the scanned deliveries as there is room for, and as may be sent. */
export function batchOf(scanned: readonly Candidate[], span: ReplaySpan, free: Free): Batch {
  const fitting = scanned.filter((candidate) => fits(candidate, span));
  const chosen: Candidate[] = [];
  let bytes = 0;
  for (const candidate of fitting) {
    if (chosen.length === free.deliveries || bytes + candidate.bytes > free.bytes) break;
    chosen.push(candidate);
    bytes += candidate.bytes;
  }
  const isCut = fitting.length > chosen.length;
  const waiting = chosen.filter(({ status }) => status === 'retrying');
  return {
    waiting: waiting.map(({ deliveryId }) => deliveryId),
    ended: chosen.filter(({ status }) => status !== 'retrying'),
    lastDeliveryId: (isCut ? chosen : scanned).at(-1)?.deliveryId ?? null,
    isLast: !isCut && scanned.length < SCANNED_MAX,
    bytes,
    isShort: isCut && chosen.length === 0,
  };
}
