import { findWebhook } from './find-webhook.js';
import type { Ports } from './ports.js';
import type { WebhookHour } from './statistics.js';

export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

/** The hours of a webhook in which something was attempted, the oldest first. */
export const readStatistics =
  (ports: Pick<Ports, 'webhooks' | 'statistics'>) =>
  async (
    userId: string,
    webhookId: string,
    { from, to }: TimeSpan,
  ): Promise<readonly WebhookHour[]> => {
    await findWebhook(ports)(userId, webhookId);
    return ports.statistics.hours(webhookId, from, to);
  };
