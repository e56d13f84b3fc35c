import { newId } from '@junction/contracts';
import { newSecret } from '@junction/webhook-signing';
import { failingReads } from '../adapters/postgres/webhooks/failing-webhooks.js';
import { webhookReads } from '../adapters/postgres/webhooks/webhook-rows.js';
import { purgeExpiredSecrets } from '../adapters/postgres/webhooks/webhook-secrets.js';
import type { Ports } from '../application/ports.js';
import { disableFailing } from '../application/webhooks/disable-failing.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const SECOND_MS = 1_000;

/** Constructs what changes and reads of webhooks need. */
export const openWebhooks = (
  { config, pool, store, vault }: DispatcherPlatform,
  { onUnreadable }: Tables,
) => ({
  webhooks: webhookReads({ pool, store, vault, onUnreadable }),
  failing: failingReads(pool),
  webhooksPerUserMax: config.webhooksPerUserMax,
  newWebhookId: () => newId('wh'),
  newSecret: () => newSecret(),
});

/** Disables webhooks that fail for days, and deletes the secrets that a rotation has replaced. */
export function startWebhooks({ pool, job }: DispatcherPlatform, ports: Ports): void {
  job('failing webhooks', 60 * SECOND_MS, async () => void (await disableFailing(ports)()));
  job('expired secrets', 60 * SECOND_MS, () => purgeExpiredSecrets(pool));
}
