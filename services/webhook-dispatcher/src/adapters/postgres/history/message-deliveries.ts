import type pg from 'pg';
import type { Page } from '../../../application/page.js';
import { isMatch, type Verdict } from '../../../domain/delivery/match.js';
import type { DeliveryFilter } from '../../http/history/history-schemas.js';
import { statement } from '../statement.js';
import { lowestIdAt } from '../stored-id.js';
import {
  deliveryPage,
  endOf,
  fitting,
  type Reading,
  SCANNED_MAX,
  untilOf,
} from './delivery-page.js';
import type { DeliveryKey } from './delivery-rows.js';
import type { DeliverySummary } from './history-reads.js';

/**
 * An id says when a delivery was filed, by the clock of who filed it; the event, by the database's. Clocks that agree
 * are tried first: of a busy webhook the widest span holds much.
 */
const CLOCKS_APART_MS = [1_000, 30_000, 10 * 60_000];

/** An event that is still known. */
export interface SeenEvent {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly message_id: string;
  readonly received_at: Date;
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

/**
 * Returns the deliveries of an event to these webhooks, those of its verdicts if none are named, the oldest first. They
 * are found by webhook and time: an index by message would cost every delivery an entry.
 */
export async function deliveriesOfEvent(
  db: pg.Pool,
  { day, message_id, received_at, verdicts }: SeenEvent,
  webhookIds: readonly string[] = Object.keys(verdicts),
): Promise<readonly DeliveryKey[]> {
  // Verdicts on a user's first webhooks alone are stored: another one may have matched.
  const asked = webhookIds.filter((id) => isMatch(verdicts[id] ?? 'pending'));
  let found: readonly EventDelivery[] = [];
  for (const apartMs of CLOCKS_APART_MS) {
    if (found.filter(({ is_first }) => is_first).length >= asked.length) break;
    const { rows } = await readKeys(db, {
      day,
      webhook_ids: asked,
      first_delivery_id: lowestIdAt(new Date(received_at.getTime() - apartMs)),
      last_delivery_id: lowestIdAt(new Date(received_at.getTime() + apartMs)),
      message_id,
    });
    found = rows;
  }
  return found;
}

interface EventDelivery extends DeliveryKey {
  /** Whether the delivery repeats no other. */
  readonly is_first: boolean;
}

/**
 * Returns a page of one message's deliveries. Events are known for seven days; for older ones all deliveries are
 * searched.
 */
export async function messagePage(
  reading: Reading,
  webhookIds: readonly string[],
  messageId: string,
  filter: DeliveryFilter,
): Promise<Page<DeliverySummary>> {
  const [seen] = (await readSeen(reading.db, { message_id: messageId })).rows;
  if (seen === undefined) return deliveryPage(reading, webhookIds, filter);
  const { limit, from = new Date(0) } = filter;
  const [begin, end] = [lowestIdAt(from), endOf(filter)];
  const keys = (await deliveriesOfEvent(reading.db, seen, webhookIds))
    .filter(({ delivery_id: id }) => id >= begin && id < end)
    .toReversed();
  const lookedAt = keys.slice(0, SCANNED_MAX);
  const { items, cut } = await fitting(reading, lookedAt, filter, {
    wanted: limit + 1,
    until: untilOf(filter, reading),
  });
  const shown = items.slice(0, limit);
  if (items.length > limit) return { items: shown, nextAfter: shown.at(-1)?.delivery_id };
  return {
    items,
    nextAfter: cut ?? (keys.length > lookedAt.length ? lookedAt.at(-1)?.delivery_id : undefined),
  };
}

const readSeen = statement<SeenEvent>(
  'seen_event',
  `select day::text, message_id, at as received_at, verdicts from seen_events
    where message_id = :message_id order by day desc limit 1`,
  { message_id: 'msg' },
);

const readKeys = statement<EventDelivery>(
  'event_deliveries',
  `with first as materialized (
     select day, delivery_id from deliveries
      where day = :day::date and webhook_id = any (:webhook_ids::uuid[])
        and delivery_id between :first_delivery_id and :last_delivery_id
        and message_id = :message_id and original_id is null
   )
   select day::text, delivery_id, true as is_first from first
   union all
   select r.day::text, r.delivery_id, false from first join redeliveries r on r.original_id = first.delivery_id
    order by delivery_id`,
  {
    webhook_ids: 'wh',
    first_delivery_id: 'dlv',
    last_delivery_id: 'dlv',
    message_id: 'msg',
    delivery_id: 'dlv',
  },
);
