import { snakeCase } from '@junction/contracts';
import type { Rest } from '../../../application/job.js';
import type { Webhook } from '../../../application/webhooks/ports.js';
import { DEFAULT_OPTIONS, type WebhookOptions } from '../../../domain/webhook/options.js';
import type { WebhookRow } from '../../../projections/webhook-row.js';
import { PAUSED_BY_OPERATOR, STATUS } from '../sending-pauses.js';
import { statement } from '../statement.js';
import type { Ids } from '../stored-id.js';
import { STATE } from '../webhook-state.js';

/** A webhook, and the rest of its circuit in milliseconds while that is open or half open. */
export interface SelectedWebhook extends Webhook {
  readonly restMs: number | null;
}

type OfOtherTables =
  | 'state'
  | 'circuitOpenedAt'
  | 'circuitProbeAt'
  | 'failingSince'
  | 'failingReason'
  | 'isPausedByOperator'
  | 'status'
  | 'previousSecretExpiresAt';

/** Columns by name: a prepared statement must not return columns that a later release adds. */
const COLUMNS: Readonly<
  Record<Exclude<keyof Webhook, OfOtherTables | keyof WebhookOptions>, keyof WebhookRow>
> = {
  webhookId: 'webhook_id',
  userId: 'user_id',
  url: 'url',
  events: 'events',
  disabledReason: 'disabled_reason',
  disabledAt: 'disabled_at',
  hasSecret: 'has_secret',
  version: 'version',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};
const OPTION_COLUMNS = Object.keys(DEFAULT_OPTIONS).map((name) => [name, snakeCase(name)]);

// Looked up webhook by webhook: joined as tables, all of either may be read for the few webhooks of a user.
const SELECT_WEBHOOKS = `
select ${[...Object.entries(COLUMNS), ...OPTION_COLUMNS]
  .map(([name, column]) => `w.${column} as "${name}"`)
  .join(', ')},
       ${STATUS} as status, ${STATE} as state, ${PAUSED_BY_OPERATOR} as "isPausedByOperator",
       c.opened_at as "circuitOpenedAt", c.probe_at as "circuitProbeAt", c.rest_ms as "restMs",
       f.since as "failingSince", f.reason as "failingReason",
       (select max(s.expires_at) from webhook_secrets s
         where s.webhook_id = w.webhook_id and s.expires_at > now()) as "previousSecretExpiresAt"
  from webhooks w
  left join lateral (select * from circuits of where of.webhook_id = w.webhook_id limit 1) c on true
  left join lateral (select * from failing_webhooks of where of.webhook_id = w.webhook_id limit 1) f on true`;

/**
 * Declares a statement that selects webhooks `w` with their circuits and failures: null while the circuit is closed, or
 * there are no failures.
 */
export const selectWebhooks = (name: string, where: string, ids: Ids = {}) =>
  statement<SelectedWebhook>(name, `${SELECT_WEBHOOKS} ${where}`, { webhookId: 'wh', ...ids });

/** Returns the rest of the webhook's circuit; undefined: the circuit is closed. */
export const restOf = ({ circuitProbeAt: probeAt, restMs }: SelectedWebhook): Rest | undefined =>
  probeAt !== null && restMs !== null ? { probeAt, restMs } : undefined;
