import { measureKeyAge } from '@junction/service';
import { postgresWebhookKeys } from '../adapters/postgres/sending/webhook-keys.js';
import { ensureWebhookKey, rotateWebhookKeys } from '../application/sending/rotate-webhook-keys.js';
import { webhookKeys } from '../application/sending/webhook-keys.js';
import { RELOAD_MS } from '../domain/webhook-key/rotation.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const HOUR_MS = 3_600_000;
const ROTATED = 'webhook_keys';

/** Makes the first key if there is none, and follows rotations on any replica. */
export async function openWebhookKeys(
  { pool, ring, meter, notifier, log, job }: DispatcherPlatform,
  { quietWork: unitOfWork }: Tables,
) {
  const store = postgresWebhookKeys(pool, ring);
  await ensureWebhookKey({ unitOfWork, store, now });
  const keys = await webhookKeys(store.load, now);
  measureKeyAge(
    meter,
    'webhooks',
    async () => keys.published().find(({ signsFrom }) => signsFrom <= now())?.signsFrom,
  );
  notifier.listen(ROTATED, () => {
    keys.reload().catch((err: unknown) => log.error({ err }, 'webhook keys were not read again'));
  });
  job('webhook keys', RELOAD_MS, keys.reload);
  job('ended webhook keys', HOUR_MS, () => store.destroyEnded(now()));

  const rotateKeys = rotateWebhookKeys({ unitOfWork, store, now });
  const rotate: typeof rotateKeys = async (request) => {
    const rotated = await rotateKeys(request);
    await keys.reload();
    notifier.notify(ROTATED);
    return rotated;
  };
  return { keys, rotate };
}

const now = (): Date => new Date();
