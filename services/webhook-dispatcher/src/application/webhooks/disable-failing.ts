import { disableWebhook } from '../disable-webhook.js';
import type { Ports } from '../ports.js';
import type { FailingWebhook } from './ports.js';

type FailingPorts = Pick<Ports, 'unitOfWork' | 'failing' | 'webhookChanged' | 'now'>;

const DAY_MS = 24 * 3_600_000;
/** A webhook whose attempts have all failed for so long is disabled. */
const DISABLED_AFTER_MS = 5 * DAY_MS;
/** A failure so long ago says nothing about one that comes now. */
const OUTDATED_AFTER_MS = 10 * DAY_MS;

/**
 * Disables the webhooks whose attempts all failed for five days. The rows of failures keep the first
 * and the last failure since the last success, so nothing else has to be read to find these webhooks.
 */
export const disableFailing = (ports: FailingPorts) => async (): Promise<void> => {
  const at = ports.now();
  await ports.failing.purge({ before: new Date(at.getTime() - OUTDATED_AFTER_MS) });
  for (const webhook of await ports.failing.failingFor({ minMs: DISABLED_AFTER_MS })) {
    if (await disable(ports, webhook, at)) ports.webhookChanged(webhook);
  }
};

/** Disables the webhook. Returns false when an attempt succeeded meanwhile, or the owner enabled it again. */
const disable = async (
  { unitOfWork }: FailingPorts,
  { webhookId, since }: FailingWebhook,
  at: Date,
): Promise<boolean> =>
  unitOfWork.inTransaction(async (tx) => {
    const isNotified = !(await tx.failing.isByNoticesAlone({ webhookId, since }));
    // The failures are deleted before anything that waits is locked: results are written in this order too.
    const failing = { webhookId, minMs: DISABLED_AFTER_MS };
    if (!(await tx.failing.deleteFailingFor(failing))) return false;
    await disableWebhook(tx, webhookId, { reason: 'failing', at, isNotified });
    return true;
  });
