import { changeWebhook } from './change-webhook.js';
import { configureWebhook, createWebhook } from './configure-webhook.js';
import { deleteWebhook } from './delete-webhook.js';
import { findWebhook, listWebhooks } from './find-webhook.js';
import { mergeWebhook } from './merge-patch.js';
import type { Ports } from './ports.js';
import { previewFilter } from './preview-filter.js';
import { listAllDeliveries, listDeliveries, readDelivery } from './read-deliveries.js';
import { listEvents, readEvent } from './read-events.js';
import { readAllStatistics, readEachStatistics, readStatistics } from './read-statistics.js';
import { redactAllPayloads, redactPayload } from './redact-payloads.js';
import { redeliver } from './redeliver.js';
import {
  beginReplay,
  cancelReplay,
  countReplay,
  findReplay,
  listReplays,
} from './replay-webhook.js';
import { rotateSecret } from './rotate-secret.js';
import { sendTest } from './send-test.js';

/** Builds the use cases of webhook owners, whichever server their requests come through. */
export const application = (ports: Ports) => ({
  configure: configureWebhook(ports),
  create: createWebhook(ports),
  change: changeWebhook(ports),
  merge: mergeWebhook(ports),
  rotateSecret: rotateSecret(ports),
  delete: deleteWebhook(ports),
  find: findWebhook(ports),
  list: listWebhooks(ports),
  deliveries: listDeliveries(ports),
  allDeliveries: listAllDeliveries(ports),
  delivery: readDelivery(ports),
  previewFilter: previewFilter(ports),
  redeliver: redeliver(ports),
  sendTest: sendTest(ports),
  countReplay: countReplay(ports),
  beginReplay: beginReplay(ports),
  findReplay: findReplay(ports),
  listReplays: listReplays(ports),
  cancelReplay: cancelReplay(ports),
  redactPayload: redactPayload(ports),
  redactAllPayloads: redactAllPayloads(ports),
  statistics: readStatistics(ports),
  allStatistics: readAllStatistics(ports),
  eachStatistics: readEachStatistics(ports),
  events: listEvents(ports),
  event: readEvent(ports),
});

export type Application = ReturnType<typeof application>;
