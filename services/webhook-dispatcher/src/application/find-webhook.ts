import { AppError } from '@junction/errors';
import type { WebhookStatus } from '../domain/webhook/events.js';
import type { Ports } from './ports.js';
import type { Webhook } from './webhooks/ports.js';

interface FindPorts {
  readonly webhooks: Pick<Ports['webhooks'], 'byId'>;
}

/** Finds a webhook of the user. @throws AppError `webhook_not_found` */
export const findWebhook =
  ({ webhooks }: FindPorts) =>
  async (userId: string, webhookId: string): Promise<Webhook> => {
    const webhook = await webhooks.byId(userId, webhookId);
    if (webhook) return webhook;
    throw webhookNotFound();
  };

/**
 * Refuses a disabled webhook, since whatever is sent to it would only be held again, and returns the status of any
 * other. @throws AppError `webhook_disabled`
 */
export async function requireSendable(
  ports: FindPorts,
  userId: string,
  webhookId: string,
): Promise<WebhookStatus> {
  const { status } = await findWebhook(ports)(userId, webhookId);
  if (status !== 'disabled') return status;
  throw new AppError(
    'webhook_disabled',
    'This webhook is disabled, so nothing is sent to it. Enable it first.',
  );
}

export const webhookNotFound = () => new AppError('webhook_not_found', 'There is no such webhook.');
