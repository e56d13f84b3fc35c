import type { Rest } from '../../../application/dispatch/job.js';
import type { Webhook } from '../../../application/ports.js';
import { WEBHOOK_COLUMNS, type WebhookRow } from '../../../projections/webhook-row.js';

/** Row of `WEBHOOKS_WITH_CIRCUITS`: null in these columns while the circuit is closed, or there are no failures. */
export interface WebhookWithCircuit extends WebhookRow {
  readonly circuit_opened_at: Date | null;
  readonly circuit_probe_at: Date | null;
  readonly rest_ms: number | null;
  readonly failing_since: Date | null;
  readonly failing_reason: string | null;
  readonly previous_secret_expires_at: Date | null;
}

/** Webhooks with their circuits and failures. */
export const WEBHOOKS_WITH_CIRCUITS = `
select ${WEBHOOK_COLUMNS.map((column) => `w.${column}`).join(', ')},
       c.opened_at as circuit_opened_at, c.probe_at as circuit_probe_at, c.rest_ms,
       f.since as failing_since, f.reason as failing_reason,
       (select max(s.expires_at) from webhook_secrets s
         where s.webhook_id = w.webhook_id and s.expires_at > now()) as previous_secret_expires_at
  from webhooks w
  left join circuits c on c.webhook_id = w.webhook_id
  left join failing_webhooks f on f.webhook_id = substr(w.webhook_id, ${'wh_'.length + 1})::uuid`;

/** Returns the rest of the webhook's circuit; undefined: the circuit is closed. */
export const restOf = ({
  circuit_probe_at: probeAt,
  rest_ms: restMs,
}: WebhookWithCircuit): Rest | undefined =>
  probeAt !== null && restMs !== null ? { probeAt, restMs } : undefined;

export const webhookOf = (row: WebhookWithCircuit): Webhook => ({
  webhookId: row.webhook_id,
  userId: row.user_id,
  url: row.url,
  events: row.events,
  status: row.status,
  disabledReason: row.disabled_reason,
  disabledAt: row.disabled_at,
  hasSecret: row.has_secret,
  ordered: row.ordered,
  rateLimit: row.rate_limit,
  description: row.description,
  filter: row.filter,
  retrySchedule: row.retry_schedule,
  metadata: row.metadata,
  signature: row.signature,
  traceContext: row.trace_context,
  headerNames: row.header_names,
  headersVersion: row.headers_version,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  circuitOpenedAt: row.circuit_opened_at,
  circuitProbeAt: row.circuit_probe_at,
  failingSince: row.failing_since,
  failingReason: row.failing_reason,
  previousSecretExpiresAt: row.previous_secret_expires_at,
});
