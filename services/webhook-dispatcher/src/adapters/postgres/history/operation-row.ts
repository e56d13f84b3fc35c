import type { ReplayableOutcome, ReplayOperation } from '../../../application/replay.js';
import { timeOfId } from '../stored-id.js';

/** A row of operations. */
export interface OperationRow {
  readonly operation_id: string;
  readonly user_id: string;
  readonly webhook_id: string;
  readonly status: ReplayOperation['status'];
  readonly reason: string | null;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly kinds: readonly string[] | null;
  readonly outcomes: readonly ReplayableOutcome[];
  readonly counted: number;
  readonly count_is_exact: boolean;
  readonly sent: number;
  readonly skipped: number;
  readonly last_delivery_id: string | null;
  readonly requested_at: Date;
  readonly ended_at: Date | null;
}

const COLUMNS: Readonly<Record<keyof OperationRow, true>> = {
  operation_id: true,
  user_id: true,
  webhook_id: true,
  status: true,
  reason: true,
  from_at: true,
  to_at: true,
  kinds: true,
  outcomes: true,
  counted: true,
  count_is_exact: true,
  sent: true,
  skipped: true,
  last_delivery_id: true,
  requested_at: true,
  ended_at: true,
};

/** Columns by name: a prepared statement must not return a column that a later release adds. */
export const OPERATION_COLUMNS = Object.keys(COLUMNS).join(', ');

export const toOperation = (row: OperationRow): ReplayOperation => ({
  from: row.from_at,
  to: row.to_at,
  outcomes: row.outcomes,
  ...(row.kinds !== null && { kinds: row.kinds }),
  operationId: row.operation_id,
  webhookId: row.webhook_id,
  userId: row.user_id,
  status: row.status,
  reason: row.reason,
  count: row.counted,
  isExact: row.count_is_exact,
  sent: row.sent,
  skipped: row.skipped,
  lastDeliveryId: row.last_delivery_id,
  progress: row.status === 'completed' ? 1 : progressOf(row),
  requestedAt: row.requested_at,
  endedAt: row.ended_at,
});

/** Estimates progress by time, since the remaining deliveries are not counted again. */
function progressOf({ last_delivery_id: lastId, from_at: from, to_at: to }: OperationRow): number {
  if (lastId === null) return 0;
  const share = (timeOfId(lastId).getTime() - from.getTime()) / (to.getTime() - from.getTime());
  return Math.min(1, Math.max(0, Math.round(share * 1_000) / 1_000));
}
