import type { ReplayOperation } from '../../../application/replaying/ports.js';
import { timeOfId } from '../stored-id.js';

/** A row of OPERATION_COLUMNS. */
export interface OperationRow extends Omit<ReplayOperation, 'kinds' | 'progress'> {
  readonly kinds: readonly string[] | null;
}

/** Columns by name: a prepared statement must not return a column that a later release adds. */
export const OPERATION_COLUMNS = `
  operation_id as "operationId", webhook_id as "webhookId", last_delivery_id as "lastDeliveryId",
  user_id as "userId", status, reason, from_at as "from", to_at as "to", kinds, outcomes, counted as "count",
  count_is_exact as "isExact", sent, skipped, room, per_s as "perS",
  waits_until as "waitsUntil", requested_at as "requestedAt", ended_at as "endedAt"`;

/** Ids in a row of OPERATION_COLUMNS. */
export const OPERATION_IDS = { operationId: 'op', webhookId: 'wh', lastDeliveryId: 'dlv' } as const;

export const toOperation = ({ kinds, ...row }: OperationRow): ReplayOperation => ({
  ...row,
  ...(kinds !== null && { kinds }),
  progress: row.status === 'completed' ? 1 : progressOf(row),
});

/** Estimates progress by time, since the remaining deliveries are not counted again. */
function progressOf({ from, to, lastDeliveryId }: Omit<OperationRow, 'kinds'>): number {
  if (lastDeliveryId === null) return 0;
  const share =
    (timeOfId(lastDeliveryId).getTime() - from.getTime()) / (to.getTime() - from.getTime());
  return Math.min(1, Math.max(0, Math.round(share * 1_000) / 1_000));
}
