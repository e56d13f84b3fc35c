import { type NoticeData, type NoticeKind, noticeRecord } from '@junction/contracts';
import type { OutboxRecord } from '@junction/eventsourcing-postgres';
import type { WebhookCommand } from '../../domain/webhook/decider.js';
import type { WebhookEvent } from '../../domain/webhook/events.js';
import { WEBHOOKS_SOURCE } from './webhook-publication.js';

interface Told {
  /** The same when it is told twice: of the two, one is delivered. */
  readonly id: string;
  readonly userId: string;
}

/** The record that tells the owner of a webhook, through their other webhooks. */
export const notice = <Kind extends NoticeKind>(
  kind: Kind,
  { id, userId }: Told,
  data: NoticeData<Kind>,
): OutboxRecord => ({
  ...noticeRecord({ kind, userId, data }),
  source: WEBHOOKS_SOURCE,
  id: `notice/${id}`,
});

/**
 * What of a command's event its owner is told: that we disabled the webhook, and that it works again.
 * What they did themselves they know, and what a notice brought about is not told by another.
 */
export function noticesOf(
  webhookId: string,
  command: WebhookCommand,
  event: WebhookEvent,
  id: string,
): readonly OutboxRecord[] {
  const { userId, at } = event.data;
  const about = { webhook_id: webhookId, occurred_at: at };
  if ('byNotice' in command.data && command.data.byNotice) return [];
  if (event.type === 'webhook.disabled' && event.data.reason !== 'user') {
    const { reason } = event.data;
    return [notice('webhook.disabled', { id, userId }, { ...about, reason })];
  }
  const isRecovery = event.type === 'webhook.circuit_closed' && command.type === 'CloseCircuit';
  if (!isRecovery) return [];
  return [notice('webhook.recovered', { id, userId }, about)];
}
