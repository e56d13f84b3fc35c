import type pg from 'pg';
import type {
  DeliverySummary,
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

const COLUMNS = `day::text, (extract(epoch from at) * 1000000)::bigint as "atMicros", message_id as "messageId",
  ce_source as source, ce_id as id, kind, at as "receivedAt", verdicts, repeats, repeated_at as "repeatedAt"`;

/** Makes the reads of events for their user, as long as the events are known. */
export const eventLog = (pool: pg.Pool) => ({
  /** Newest first. The cursor is a moment in microseconds and an id. */
  async page(userId: string, { after, limit, kind }: SeenEventFilter): Promise<Page<EventSummary>> {
    const { rows } = await readPage(pool, {
      user_id: userId,
      before_micros: after?.atMicros ?? FAR_AHEAD_MICROS,
      before_message_id: after?.messageId ?? HIGHEST,
      kind: kind ?? null,
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown,
      nextAfter: rows.length > limit && last ? `${last.atMicros}.${last.messageId}` : undefined,
    };
  },

  async detail(userId: string, messageId: string): Promise<EventDetail | undefined> {
    const { rows } = await readEvent(pool, { message_id: messageId, user_id: userId });
    const [row] = rows;
    return row && { ...row, deliveries: await deliveriesOf(pool, row) };
  },
});

const readPage = statement<EventRow>(
  'event_page',
  `select ${COLUMNS} from seen_events
    where user_id = :user_id
      and (at, message_id) < (to_timestamp(:before_micros::numeric / 1000000), :before_message_id::uuid)
      and (:kind::text is null or kind = :kind)
    order by at desc, message_id desc limit :limit`,
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

async function deliveriesOf(pool: pg.Pool, row: EventRow): Promise<readonly DeliverySummary[]> {
  return deliveriesAt(pool, await deliveriesOfEvent(pool, row, Object.keys(row.verdicts)));
}
