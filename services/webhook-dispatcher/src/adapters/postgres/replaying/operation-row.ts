import type { ReplayOperation } from '../../../application/replaying/ports.js';
import { timeOfId } from '../stored-id.js';

/** A row of OPERATION_COLUMNS. */
export interface OperationRow
  extends Omit<
    ReplayOperation,
    'operationId' | 'webhookId' | 'lastDeliveryId' | 'kinds' | 'progress'
  > {
  readonly operation_id: string;
  readonly webhook_id: string;
  readonly last_delivery_id: string | null;
  readonly kinds: readonly string[] | null;
}

/** Columns by name: a prepared statement must not return a column that a later release adds. */
export const OPERATION_COLUMNS = `
  operation_id, webhook_id, last_delivery_id, user_id as "userId", status, reason, from_at as "from", to_at as "to",
  kinds, outcomes, counted as "count", count_is_exact as "isExact", sent, skipped, requested_at as "requestedAt",
  ended_at as "endedAt"`;

export const toOperation = ({
  operation_id: operationId,
  webhook_id: webhookId,
  last_delivery_id: lastDeliveryId,
  kinds,
  ...row
}: OperationRow): ReplayOperation => ({
  ...row,
  operationId,
  webhookId,
  lastDeliveryId,
  ...(kinds !== null && { kinds }),
  progress: row.status === 'completed' ? 1 : progressOf(row, lastDeliveryId),
});

/** Estimates progress by time, since the remaining deliveries are not counted again. */
function progressOf(
  { from, to }: Pick<OperationRow, 'from' | 'to'>,
  lastId: string | null,
): number {
  if (lastId === null) return 0;
  const share = (timeOfId(lastId).getTime() - from.getTime()) / (to.getTime() - from.getTime());
  return Math.min(1, Math.max(0, Math.round(share * 1_000) / 1_000));
}
