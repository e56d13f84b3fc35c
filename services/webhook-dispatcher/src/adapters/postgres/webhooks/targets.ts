import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { Secret, Target } from '../../../application/job.js';
import type { CustomHeaders } from '../../../domain/webhook/custom-headers.js';
import { requestOptions } from '../../../domain/webhook/options.js';
import type { WebhookRow } from '../../../projections/webhook-row.js';
import { statement } from '../statement.js';
import { openHeaders } from './webhook-headers.js';
import { openSecrets } from './webhook-secrets.js';
import { restOf, type SelectedWebhook, selectWebhooks } from './webhook-select.js';

const SECOND_MS = 1_000;

/** Webhooks as requests are sent to them. Those that are gone are not among them. */
export const loadTargets =
  (pool: pg.Pool, vault: Vault, onError: (error: unknown) => void) =>
  async (ids: readonly string[]): Promise<ReadonlyMap<string, Target>> => {
    const { rows } = await readTargets(pool, { webhook_ids: ids });
    const signed = rows.filter(({ hasSecret }) => hasSecret);
    const secrets = signed.length > 0 ? await openSecrets(pool, vault, signed, onError) : noSecrets;
    const headed = rows.filter(({ headerNames }) => headerNames.length > 0);
    const headers = headed.length > 0 ? await openHeaders(pool, vault, headed, onError) : noHeaders;
    return new Map(
      rows.map((webhook) => {
        const { webhookId: id } = webhook;
        return [id, toTarget(webhook, secrets.get(id) ?? [], headers.get(id))];
      }),
    );
  };

const readTargets = selectWebhooks('webhook_targets', 'where w.webhook_id = any (:webhook_ids)', {
  webhook_ids: 'wh',
});

const noSecrets: ReadonlyMap<string, readonly Secret[]> = new Map();
const noHeaders: ReadonlyMap<string, CustomHeaders> = new Map();

function toTarget(
  webhook: SelectedWebhook,
  secrets: readonly Secret[],
  headers: CustomHeaders | undefined,
): Target {
  // Without its secret it cannot be signed, and without its headers it may not be let in: it waits.
  const isSecretLost = webhook.hasSecret && secrets.length === 0;
  const isIncomplete = isSecretLost || (webhook.headerNames.length > 0 && headers === undefined);
  const { rateLimit, retrySchedule: schedule } = webhook;
  const rest = restOf(webhook);
  return {
    webhookId: webhook.webhookId,
    userId: webhook.userId,
    version: webhook.version,
    url: webhook.url,
    status: isIncomplete && webhook.status === 'active' ? 'paused' : webhook.status,
    secrets,
    ...requestOptions(webhook),
    isFailing: webhook.failingSince !== null,
    ...(headers && { headers }),
    ...(rateLimit !== null && { rateLimit }),
    ...(schedule !== null && { retry: { delaysMs: schedule.map((s) => s * SECOND_MS) } }),
    ...(rest && { rest }),
  };
}

/**
 * Gives those of the webhooks a replica knows whose version is another by now, that are gone, or whose row was touched
 * since that version of the index: something beside it is other than it was.
 */
export const changedWebhooks =
  (pool: pg.Pool) =>
  async (
    known: ReadonlyMap<string, number>,
    sinceIndexVersion = '0',
  ): Promise<readonly string[]> => {
    const { rows } = await readVersions(pool, {
      webhook_ids: [...known.keys()],
      since: sinceIndexVersion,
    });
    const current = new Map(rows.map(({ webhook_id, version }) => [webhook_id, version]));
    return [...known].filter(([id, version]) => current.get(id) !== version).map(([id]) => id);
  };

const readVersions = statement<Pick<WebhookRow, 'webhook_id' | 'version'>>(
  'webhook_versions',
  `select webhook_id, version from webhooks w
    where webhook_id = any (:webhook_ids)
      and not exists (select from webhook_changes c
                       where c.webhook_id = w.webhook_id and c.version > :since::bigint)`,
  { webhook_ids: 'wh', webhook_id: 'wh' },
);
