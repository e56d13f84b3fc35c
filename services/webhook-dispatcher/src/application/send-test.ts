import { EVENT_CATALOGUE } from '@junction/contracts';
import { requireSendable } from './find-webhook.js';
import type { Ports, SentTest } from './ports.js';

/** Sends the catalogue's example of an event of this kind to one webhook. */
export const sendTest =
  (ports: Pick<Ports, 'webhooks' | 'tests' | 'webhookChanged'>) =>
  async (userId: string, webhookId: string, kind: string): Promise<SentTest> => {
    await requireSendable(ports, userId, webhookId);
    const data = EVENT_CATALOGUE.find((entry) => entry.kind === kind)?.example ?? {};
    const sent = await ports.tests.send({ userId, webhookId, kind, data });
    // The replica that sends for the webhook reads what waits for it at once.
    ports.webhookChanged({ webhookId, userId });
    return sent;
  };
