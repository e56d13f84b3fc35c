import type { IncomingEvent } from './ports.js';

const HOUR_MS = 3_600_000;

/**
 * When an event came: when the log took it, if that was lately and today (UTC), or else now. So replicas that meet one
 * record at the same time file it alike, and what waited for long is filed where it is looked for.
 */
export function cameAt(loggedAt: Date, now: Date): Date {
  const ageMs = now.getTime() - loggedAt.getTime();
  const isToday = loggedAt.getUTCDate() === now.getUTCDate();
  return ageMs >= 0 && ageMs <= HOUR_MS && isToday ? loggedAt : now;
}

/**
 * The id of the delivery of an event to a webhook: a UUIDv7 (RFC 9562, section 5.7) whose time is when the event came,
 * with its place in that millisecond as counter (section 6.2), and whose other bits are some of the message's and some
 * of the webhook's, both of which are spread evenly.
 *
 * @param webhookId wh_…
 */
export function deliveryIdOf(
  { messageId, at, sequence }: Pick<IncomingEvent, 'messageId' | 'at' | 'sequence'>,
  webhookId: string,
): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  const counter = (sequence & 0xfff).toString(16).padStart(3, '0');
  // The variant and seven digits behind it, with the hyphen between them.
  const ofMessage = messageId.slice(-17, -8);
  return `dlv_${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${ofMessage}${webhookId.slice(-8)}`;
}

/** When what a delivery is about came, in milliseconds since 1970: the time in its id (RFC 9562, section 5.7). */
export const arrivedAtMs = (deliveryId: string): number =>
  Number.parseInt(deliveryId.slice(4, 12) + deliveryId.slice(13, 17), 16);
