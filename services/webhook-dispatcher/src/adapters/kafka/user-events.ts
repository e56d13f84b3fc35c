import { noticeSchemas, USER_TOPIC, validateUserEvent } from '@junction/contracts';
import type { InboundRecord } from '@junction/messaging';
import type { Checked } from '../../application/intake/intake.js';
import { type Arrival, invalid, onEvents } from './assistant-events.js';

export { USER_TOPIC };

/** Files deliveries for our own notices, which only webhooks that name their kinds get. */
export const onUserEvents = onEvents(USER_TOPIC, checked);

function checked(record: InboundRecord, arrival: Arrival): Checked {
  const verdict = validateUserEvent(record);
  if (!verdict.ok) return invalid(verdict);
  const { type: kind, ...event } = verdict.event;
  const aboutWebhookId = webhookOf(kind, event.data);
  return { kind: 'valid', event: { ...event, ...arrival, kind, isOptIn: true, aboutWebhookId } };
}

/** The webhook that the notice is about, to which it must not go. */
function webhookOf(kind: keyof typeof noticeSchemas, data: Buffer): string | undefined {
  const notice = noticeSchemas[kind].parse(JSON.parse(data.toString()));
  return 'webhook_id' in notice && typeof notice.webhook_id === 'string'
    ? notice.webhook_id
    : undefined;
}
