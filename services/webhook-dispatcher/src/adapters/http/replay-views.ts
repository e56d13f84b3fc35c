import type { ReplayOperation, ReplaySpan } from '../../application/replaying/ports.js';

const spanView = ({ from, to, kinds, outcomes }: ReplaySpan) => ({
  from,
  to,
  kinds: kinds ?? null,
  outcomes,
});

/** Shows what a replay would send, so that the caller can confirm it. */
export const replayPreview = (
  span: ReplaySpan,
  { count, isExact }: { readonly count: number; readonly isExact: boolean },
) => ({ ...spanView(span), count, count_is_exact: isExact, confirmed: false as const });

export const operationView = (operation: ReplayOperation) => ({
  operation_id: operation.operationId,
  kind: 'replay' as const,
  webhook_id: operation.webhookId,
  status: operation.status,
  reason: operation.reason,
  ...spanView(operation),
  count: operation.count,
  count_is_exact: operation.isExact,
  sent: operation.sent,
  skipped: operation.skipped,
  progress: operation.progress,
  requested_at: operation.requestedAt,
  ended_at: operation.endedAt,
});
