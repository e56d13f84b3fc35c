import { newId } from '@junction/contracts';
import { deliveryBody } from '../domain/delivery/body.js';
import type { IncomingEvent, MatchedWebhook } from './intake/ports.js';
import type { Job } from './job.js';

const DAY_MS = 86_400_000;

/** Returns the first attempt to deliver an event. */
export function jobOf(
  event: IncomingEvent,
  { webhookId, version, shard }: Pick<MatchedWebhook, 'webhookId' | 'version' | 'shard'>,
): Job {
  const { messageId, userId, kind, time, data, at, traceparent } = event;
  return {
    // Ids increase in the order in which events are taken in, also within a millisecond.
    deliveryId: newId('dlv'),
    day: dayOf(at),
    messageId,
    webhookId,
    webhookVersion: version,
    userId,
    kind,
    shard,
    attempt: 1,
    unscheduled: 0,
    body: deliveryBody({ eventType: kind, userId, time, webhookId }, data),
    traceparent,
  };
}

let lastDay = { number: Number.NaN, text: '' };

/** Returns the day as YYYY-MM-DD in UTC, which as a rule is that of the event before. */
function dayOf(at: Date): string {
  const number = Math.floor(at.getTime() / DAY_MS);
  if (number !== lastDay.number) lastDay = { number, text: at.toISOString().slice(0, 10) };
  return lastDay.text;
}
