import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { z } from 'zod';
import type { Page } from '../../../application/page.js';
import type { Verdict } from '../../../domain/delivery/match.js';
import type { EventFilter } from '../../http/history/history-schemas.js';
import { statement } from '../statement.js';
import { deliveriesAt } from './delivery-rows.js';
import { event } from './history-reads.js';
import { deliveriesOfEvent } from './message-deliveries.js';

const seen = event.omit({ webhooks: true }).extend({
  /** Verdicts by webhook (wh_…): pending or held when the webhook matched, otherwise the reason why not. */
  verdicts: z.custom<Readonly<Record<string, Verdict>>>(),
});

/** An event with the verdicts that say which webhooks it matched. */
type Seen = z.output<typeof seen>;
type EventRow = Seen & { readonly day: string; readonly at_micros: string };

/** Events that one page looks at, however few of them are of the kind. */
export const EVENTS_SCANNED_MAX = 5_000;

const COLUMNS = `day::text, (extract(epoch from at) * 1000000)::bigint as at_micros, message_id, kind as event_type,
  ce_source as source, ce_id as id, at as received_at, repeats, repeated_at as last_repeat_at, verdicts`;

/** Makes the reads of events for their user, as long as the events are known. */
export const eventLog = (pool: pg.Pool) => ({
  /**
   * Newest first. The cursor is a moment in microseconds and an id. A page that has looked at some thousand events may
   * hold fewer than requested, and a cursor that says how far it has come.
   */
  async page(userId: string, { cursor, limit, event_type }: EventFilter): Promise<Page<Seen>> {
    const values = {
      user_id: userId,
      before_micros: cursor?.atMicros ?? FAR_AHEAD_MICROS,
      before_message_id: cursor?.messageId ?? HIGHEST,
      kind: event_type ?? null,
      limit: limit + 1,
    };
    const { rows } = await inTransaction(pool, (tx) => readPage(tx, values), {
      walksIndexes: true,
    });
    const found = rows.filter((row) => row.event_type === (event_type ?? row.event_type));
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : rows.find(({ isLast }) => isLast);
    return {
      items: shown.map((row) => seen.parse(row)),
      nextAfter: last && `${last.at_micros}.${last.message_id}`,
    };
  },

  /** Returns the event with its deliveries, repeats included. */
  async detail(userId: string, messageId: string) {
    const [row] = (await readEvent(pool, { message_id: messageId, user_id: userId })).rows;
    if (row === undefined) return undefined;
    const deliveries = await deliveriesAt(pool, await deliveriesOfEvent(pool, row));
    return { ...seen.parse(row), deliveries };
  },
});

// The last event that may be looked at is always returned: the page goes on from there.
const readPage = statement<EventRow & { readonly isLast: boolean }>(
  'event_page',
  `select ${COLUMNS}, n = ${EVENTS_SCANNED_MAX} as "isLast"
     from (select s.*, row_number() over () as n
             from (select * from seen_events
                    where user_id = :user_id
                      and (at, message_id) < (to_timestamp(:before_micros::numeric / 1000000), :before_message_id::uuid)
                    order by at desc, message_id desc limit ${EVENTS_SCANNED_MAX}) s) looked_at
    where :kind::text is null or kind = :kind or n = ${EVENTS_SCANNED_MAX}
    limit :limit`,
  { before_message_id: 'msg', message_id: 'msg' },
);

const readEvent = statement<EventRow>(
  'event_detail',
  `select ${COLUMNS} from seen_events where message_id = :message_id and user_id = :user_id
    order by day desc limit 1`,
  { message_id: 'msg' },
);

const FAR_AHEAD_MICROS = String(Date.UTC(9000, 0, 1) * 1_000);
const HIGHEST = 'msg_ffffffff-ffff-ffff-ffff-ffffffffffff';
