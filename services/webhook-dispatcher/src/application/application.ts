import { findEvent } from './find-event.js';
import { findWebhook } from './find-webhook.js';
import { listAllDeliveries, listDeliveries, readDelivery } from './history/read-deliveries.js';
import type { Ports } from './ports.js';
import { deleteUserRows } from './privacy/delete-user-rows.js';
import { redactPayload } from './privacy/redact-payloads.js';
import { redactUserPayloads } from './privacy/redact-user-payloads.js';
import { probeWebhook } from './replaying/probe-webhook.js';
import { redeliver } from './replaying/redeliver.js';
import { beginReplay, cancelReplay, countReplay, findReplay } from './replaying/replay-webhook.js';
import { sendTest } from './replaying/send-test.js';
import { probeCircuit } from './sending/probe-circuit.js';
import { rotateWebhookKeys } from './sending/rotate-webhook-keys.js';
import {
  readAllStatistics,
  readEachStatistics,
  readStatistics,
} from './statistics/read-statistics.js';
import { changeWebhook } from './webhooks/change-webhook.js';
import { configureWebhook, createWebhook } from './webhooks/configure-webhook.js';
import { deleteWebhook } from './webhooks/delete-webhook.js';
import { disableFailing } from './webhooks/disable-failing.js';
import { mergeWebhook } from './webhooks/merge-patch.js';
import { operateWebhook } from './webhooks/operate-webhook.js';
import { pauseSending } from './webhooks/pause-sending.js';
import { previewFilter } from './webhooks/preview-filter.js';
import { rotateSecret } from './webhooks/rotate-secret.js';
import { tellFailing } from './webhooks/tell-failing.js';

/** Builds the use cases, whichever server their requests come through. */
export const application = (ports: Ports) => ({
  /** Reads for one request: they end when the signal aborts. */
  reading: (signal: AbortSignal) => reads({ ...ports, ...ports.readsUntil(signal) }),
  ...reads(ports),

  configure: configureWebhook(ports),
  create: createWebhook(ports),
  change: changeWebhook(ports),
  merge: mergeWebhook(ports),
  rotateSecret: rotateSecret(ports),
  delete: deleteWebhook(ports),
  budgetOf: (userId: string) => ports.budget.stateOf(userId),
  redeliver: redeliver(ports),
  sendTest: sendTest(ports),
  probe: probeWebhook(ports),
  countReplay: countReplay(ports),
  beginReplay: beginReplay(ports),
  findReplay: findReplay(ports),
  listReplays: ports.replays.page,
  cancelReplay: cancelReplay(ports),
  redactPayload: redactPayload(ports),
  redactAllPayloads: ports.redactions.request,

  operate: operateWebhook(ports),
  pauseSending: pauseSending(ports),
  probeCircuit: probeCircuit(ports),
  rotateWebhookKeys: rotateWebhookKeys(ports),

  // Work that nobody asks for, done from time to time.
  deleteUserRows: deleteUserRows(ports),
  redactUserPayloads: redactUserPayloads(ports),
  disableFailing: disableFailing(ports),
  tellFailing: tellFailing(ports),
});

const reads = (ports: Ports) => ({
  find: findWebhook(ports),
  list: ports.webhooks.page,
  webhooksMax: ports.webhooksPerUserMax,
  deliveries: listDeliveries(ports),
  allDeliveries: listAllDeliveries(ports),
  delivery: readDelivery(ports),
  previewFilter: previewFilter(ports),
  statistics: readStatistics(ports),
  allStatistics: readAllStatistics(ports),
  eachStatistics: readEachStatistics(ports),
  events: ports.events.page,
  event: findEvent(ports),
});

export type Application = ReturnType<typeof application>;
