import { noticeSchemas, USER_TOPIC, validateUserEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type { IncomingEvent } from '../../application/ports.js';
import { type Came, onEvents } from './assistant-events.js';

export { USER_TOPIC };

/** Files deliveries for our own notices, which only webhooks that name their kinds get. */
export const onUserEvents = onEvents(USER_TOPIC, checked);

function checked(record: InboundRecord, came: Came): IncomingEvent | RecordError {
  const verdict = validateUserEvent(record);
  if (!verdict.ok) return new RecordError(verdict.code, verdict.reason);
  const { type: kind, ...event } = verdict.event;
  return { ...event, ...came, kind, aboutWebhookId: webhookOf(kind, event.data) };
}

/** The webhook that the notice is about, to which it must not go. */
function webhookOf(kind: keyof typeof noticeSchemas, data: Buffer): string | undefined {
  const notice = noticeSchemas[kind].parse(JSON.parse(data.toString()));
  return 'webhook_id' in notice && typeof notice.webhook_id === 'string'
    ? notice.webhook_id
    : undefined;
}
