import type { ReplayOperation, ReplaySpan } from '../../application/replaying/ports.js';

const spanView = ({ from, to, kinds, outcomes }: ReplaySpan) => ({
  from,
  to,
  event_types: kinds ?? null,
  kinds: kinds ?? null,
  outcomes,
});

/** Shows what a replay would send, so that the caller can confirm it. */
export const replayPreview = (
  span: ReplaySpan,
  { count, isExact }: { readonly count: number; readonly isExact: boolean },
) => ({ ...spanView(span), count, count_is_exact: isExact, confirmed: false as const });

/** Shows a replay, which may be ahead of its count. */
export const operationView = (operation: ReplayOperation) => ({
  operation_id: operation.operationId,
  kind: 'replay' as const,
  webhook_id: operation.webhookId,
  status: operation.status,
  reason: operation.reason,
  ...spanView(operation),
  count: Math.max(operation.count, operation.sent + operation.skipped),
  count_is_exact: operation.isExact,
  sent: operation.sent,
  skipped: operation.skipped,
  progress: operation.progress,
  ...paceOf(operation),
  requested_at: operation.requestedAt,
  ended_at: operation.endedAt,
});

/** Seconds are not told while the replay stands still, or before its deliveries are counted. */
function paceOf({ status, perS, waitsUntil, ...operation }: ReplayOperation) {
  const still = { deliveries_per_s: null, time_left_s: null, waits_until: null };
  if (status !== 'running') return still;
  if (waitsUntil !== null) return { ...still, deliveries_per_s: 0, waits_until: waitsUntil };
  const { count, isExact, sent, skipped } = operation;
  const left = Math.max(0, count - sent - skipped);
  return {
    ...still,
    deliveries_per_s: Math.round(perS * 10) / 10,
    time_left_s: isExact && perS >= PER_S_MIN ? Math.ceil(left / perS) : null,
  };
}

const PER_S_MIN = 0.05;
