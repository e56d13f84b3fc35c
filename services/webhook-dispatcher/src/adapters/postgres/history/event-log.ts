import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type {
  EventDetail,
  EventSummary,
  SeenEventFilter,
} from '../../../application/history/ports.js';
import type { Page } from '../../../application/page.js';
import { statement } from '../statement.js';
import { deliveriesAt } from './delivery-rows.js';
import { deliveriesOfEvent } from './message-deliveries.js';

interface EventRow extends EventSummary {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly atMicros: string;
}

/** Events that one page looks at, however few of them are of the kind. */
export const EVENTS_SCANNED_MAX = 5_000;

const COLUMNS = `day::text, (extract(epoch from at) * 1000000)::bigint as "atMicros", message_id as "messageId",
  ce_source as source, ce_id as id, kind, at as "receivedAt", verdicts, repeats, repeated_at as "repeatedAt"`;

/** Makes the reads of events for their user, as long as the events are known. */
export const eventLog = (pool: pg.Pool) => ({
  /**
   * Newest first. The cursor is a moment in microseconds and an id. A page that has looked at some thousand events may
   * hold fewer than requested, and a cursor that says how far it has come.
   */
  async page(userId: string, { after, limit, kind }: SeenEventFilter): Promise<Page<EventSummary>> {
    const values = {
      user_id: userId,
      before_micros: after?.atMicros ?? FAR_AHEAD_MICROS,
      before_message_id: after?.messageId ?? HIGHEST,
      kind: kind ?? null,
      limit: limit + 1,
    };
    const { rows } = await inTransaction(pool, (tx) => readPage(tx, values), {
      walksIndexes: true,
    });
    const found = rows.filter((row) => row.kind === (kind ?? row.kind));
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : rows.find(({ isLast }) => isLast);
    return { items, nextAfter: last && `${last.atMicros}.${last.messageId}` };
  },

  async detail(userId: string, messageId: string): Promise<EventDetail | undefined> {
    const { rows } = await readEvent(pool, { message_id: messageId, user_id: userId });
    const [row] = rows;
    return (
      row && { ...row, deliveries: await deliveriesAt(pool, await deliveriesOfEvent(pool, row)) }
    );
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
  { before_message_id: 'msg', messageId: 'msg' },
);

const readEvent = statement<EventRow>(
  'event_detail',
  `select ${COLUMNS} from seen_events where message_id = :message_id and user_id = :user_id
    order by day desc limit 1`,
  { message_id: 'msg', messageId: 'msg' },
);

const FAR_AHEAD_MICROS = String(Date.UTC(9000, 0, 1) * 1_000);
const HIGHEST = 'msg_ffffffff-ffff-ffff-ffff-ffffffffffff';
