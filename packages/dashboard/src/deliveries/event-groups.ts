import type { Delivery, DeliveryStatus } from '../api/types.js';
import { groupedBy } from '../model/grouped-by.js';
import { STATUS_LABELS } from './delivery-words.js';

/** The deliveries of one event among those of a list. */
export interface EventGroup {
  readonly messageId: string;
  readonly deliveries: readonly Delivery[];
}

/** Statuses by how much they ask of a reader. */
const BY_URGENCY: readonly DeliveryStatus[] = [
  'exhausted',
  'refused',
  'retrying',
  'pending',
  'held',
  'cancelled',
  'succeeded',
];

/** Puts first what asks most of a reader. */
export const byUrgency = (one: Delivery, other: Delivery): number =>
  BY_URGENCY.indexOf(one.status) - BY_URGENCY.indexOf(other.status);

/** Returns the deliveries by their event, in the order of the list. */
export const groupsOf = (deliveries: readonly Delivery[]): readonly EventGroup[] =>
  [...groupedBy(deliveries, ({ message_id: messageId }) => messageId)].map(
    ([messageId, deliveries]) => ({ messageId, deliveries }),
  );

/** Returns the status of a group that asks most of a reader. */
export const statusOf = ({ deliveries }: EventGroup): DeliveryStatus =>
  deliveries.toSorted(byUrgency)[0]?.status ?? 'succeeded';

/** `20 webhooks, 4 retrying`. */
export function groupWords({ deliveries }: EventGroup): string {
  const webhooks = (of: readonly Delivery[]) => new Set(of.map((one) => one.webhook_id)).size;
  const all = webhooks(deliveries);
  const statuses = BY_URGENCY.filter((status) => status !== 'succeeded').flatMap((status) => {
    const count = webhooks(deliveries.filter((one) => one.status === status));
    return count === 0 ? [] : [`${count} ${STATUS_LABELS[status].toLowerCase()}`];
  });
  const rest = statuses.length === 0 ? ['all succeeded'] : statuses;
  return [`${all} ${all === 1 ? 'webhook' : 'webhooks'}`, ...rest].join(', ');
}
