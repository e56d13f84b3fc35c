import { encodeDomainEvent, HOST_HEADER, noticeRecord } from '@junction/contracts';
import { splitStreamId } from '@junction/eventsourcing';
import type { OutboxMessage, OutboxRecord, Publish } from '@junction/eventsourcing/postgres';
import type { WebhookNotice, WebhookRecord } from '../../application/unit-of-work.js';
import { disabledReasonOf, type WebhookEvent } from '../../domain/webhook/events.js';
import { optionsIn } from '../../domain/webhook/options.js';
import { statusOf } from '../../domain/webhook/state.js';

/** The public life of webhooks. Neither url nor secret is told. */
export const WEBHOOKS_TOPIC = 'webhooks.events.v1';

/** ce_source of what this service says. */
export const WEBHOOKS_SOURCE = 'junction/webhooks';

/** Every stored event of a webhook is public, under the same name. */
export const publishWebhookEvent: Publish<WebhookEvent> = (event, { streamId }) => {
  const { id: webhookId } = splitStreamId(streamId);
  return {
    topic: WEBHOOKS_TOPIC,
    key: webhookId,
    type: event.type,
    subject: event.data.userId,
    payload: payloadOf(event, webhookId),
    sequenced: true,
  } satisfies OutboxMessage;
};

function payloadOf(event: WebhookEvent, webhookId: string): Buffer {
  const { userId, at } = event.data;
  const about = { userId, webhookId, occurredAt: new Date(at) };
  switch (event.type) {
    case 'webhook.configured': {
      const { events, enabled, secretVersion } = event.data;
      const status = statusOf({ paused: false, disabledReason: enabled ? null : 'user' });
      const hasSecret = secretVersion > 0;
      return encodeDomainEvent(event.type, { ...about, events: [...events], status, hasSecret });
    }
    case 'webhook.updated': {
      const { events, status, hasSecret, changed = [] } = event.data;
      const after = { events: [...events], status, hasSecret, changed: [...changed] };
      return encodeDomainEvent(event.type, { ...about, ...after });
    }
    case 'webhook.options_changed': {
      const { rateLimit, filter, retrySchedule, headerNames, ...others } = optionsIn(event.data);
      const { ordered, signature, traceContext } = others;
      return encodeDomainEvent(event.type, {
        ...about,
        ordered,
        signature,
        traceContext,
        rateLimit: rateLimit ?? 0,
        hasFilter: filter !== null,
        retryScheduleS: [...(retrySchedule ?? [])],
        headerNames: [...headerNames],
        changed: [...(event.data.changed ?? [])],
      });
    }
    case 'webhook.secret_rotated': {
      const { previousExpiresAt } = event.data;
      return encodeDomainEvent(event.type, {
        ...about,
        previousExpiresAt: previousExpiresAt === null ? undefined : new Date(previousExpiresAt),
      });
    }
    case 'webhook.disabled':
      return encodeDomainEvent(event.type, { ...about, reason: disabledReasonOf(event.data) });
    case 'webhook.deleted':
      return encodeDomainEvent(event.type, { ...about, reason: event.data.reason });
    case 'webhook.enabled':
      return encodeDomainEvent(event.type, about);
  }
}

/** A record of the topic of webhooks that no stored event stands behind, and so no counter. */
export const recordOf = ({ type, id, message }: WebhookRecord): OutboxRecord => ({
  topic: WEBHOOKS_TOPIC,
  source: WEBHOOKS_SOURCE,
  key: message.webhookId,
  type,
  subject: message.userId,
  id,
  payload: encodeDomainEvent(type, message),
});

/** The record that tells the owner of a webhook, through their other webhooks. */
export const noticeOf = (
  { kind, id, userId, data }: WebhookNotice,
  host?: string,
): OutboxRecord => ({
  ...noticeRecord({ kind, userId, data }),
  ...(host !== undefined && { headers: { [HOST_HEADER]: host } }),
  source: WEBHOOKS_SOURCE,
  id: `notice/${id}`,
});
