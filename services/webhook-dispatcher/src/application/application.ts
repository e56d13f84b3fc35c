import { changeWebhook } from './change-webhook.js';
import { configureWebhook } from './configure-webhook.js';
import { deleteWebhook } from './delete-webhook.js';
import { findWebhook, listWebhooks } from './find-webhook.js';
import type { Ports } from './ports.js';
import { listDeliveries, readDelivery } from './read-deliveries.js';
import { rotateSecret } from './rotate-secret.js';

/** What owners may do with their webhooks, whichever server the request came through. */
export const application = (ports: Ports) => ({
  configure: configureWebhook(ports),
  change: changeWebhook(ports),
  rotateSecret: rotateSecret(ports),
  delete: deleteWebhook(ports),
  find: findWebhook(ports),
  list: listWebhooks(ports),
  deliveries: listDeliveries(ports),
  delivery: readDelivery(ports),
});

export type Application = ReturnType<typeof application>;
