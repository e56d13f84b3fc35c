import { measureKeyAge } from '@junction/service';
import type { Tables } from '../application/ports.js';
import { ensureWebhookKey } from '../application/sending/rotate-webhook-keys.js';
import { webhookKeys } from '../application/sending/webhook-keys.js';
import { RELOAD_MS } from '../domain/webhook-key/rotation.js';
import { type DispatcherPlatform, now } from './platform.js';

/** Topic of notifications that a key was added. */
const ROTATED = 'webhook_keys';

/** Opens the keys that sign webhooks, measures their age, and reads them again whenever one is added. */
export async function openWebhookKeys(
  { job, meter, notifier }: DispatcherPlatform,
  { quietWork, webhookKeyStore }: Tables,
) {
  await ensureWebhookKey({ quietWork, webhookKeyStore, now });
  const keys = await webhookKeys(webhookKeyStore.load, now);
  measureKeyAge(meter, 'webhooks', async () => keys.signingSince());
  notifier.listen(ROTATED, job('webhook keys', RELOAD_MS, keys.reload).wake);
  job('ended webhook keys', 3_600_000, () => webhookKeyStore.destroyEnded(now()));
  return { webhookKeys: keys, webhookKeyAdded: () => notifier.notify(ROTATED) };
}
