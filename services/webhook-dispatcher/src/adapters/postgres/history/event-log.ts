import type pg from 'pg';
import type {
  DeliverySummary,
  EventDetail,
  EventSummary,
  SeenEventFilter,
} from '../../../application/history/ports.js';
import type { Page } from '../../../application/page.js';
import type { Verdict } from '../../../domain/delivery/match.js';
import { statement } from '../statement.js';
import { deliveriesAt } from './delivery-rows.js';
import { deliveriesOfEvent } from './message-deliveries.js';

interface EventRow {
  readonly day: string;
  readonly message_id: string;
  readonly ce_source: string;
  readonly ce_id: string;
  readonly kind: string;
  readonly at: Date;
  readonly at_micros: string;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly repeats: number;
  readonly repeated_at: Date | null;
}

const COLUMNS = `day::text, message_id, ce_source, ce_id, kind, at, verdicts, repeats, repeated_at,
                 (extract(epoch from at) * 1000000)::bigint as at_micros`;

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
      items: shown.map(toEvent),
      nextAfter: rows.length > limit && last ? `${last.at_micros}.${last.message_id}` : undefined,
    };
  },

  async detail(userId: string, messageId: string): Promise<EventDetail | undefined> {
    const { rows } = await readEvent(pool, { message_id: messageId, user_id: userId });
    const [row] = rows;
    return row && { ...toEvent(row), deliveries: await deliveriesOf(pool, row) };
  },
});

const readPage = statement<EventRow>(
  'event_page',
  `select ${COLUMNS} from seen_events
    where user_id = :user_id
      and (at, message_id) < (to_timestamp(:before_micros::numeric / 1000000), :before_message_id::uuid)
      and (:kind::text is null or kind = :kind)
    order by at desc, message_id desc limit :limit`,
);

const readEvent = statement<EventRow>(
  'event_detail',
  `select ${COLUMNS} from seen_events where message_id = :message_id and user_id = :user_id
    order by day desc limit 1`,
);

const FAR_AHEAD_MICROS = String(Date.UTC(9000, 0, 1) * 1_000);
const HIGHEST = 'msg_ffffffff-ffff-ffff-ffff-ffffffffffff';

async function deliveriesOf(pool: pg.Pool, row: EventRow): Promise<readonly DeliverySummary[]> {
  return deliveriesAt(pool, await deliveriesOfEvent(pool, row, Object.keys(row.verdicts)));
}

const toEvent = (row: EventRow): EventSummary => ({
  messageId: row.message_id,
  source: row.ce_source,
  id: row.ce_id,
  kind: row.kind,
  receivedAt: row.at,
  verdicts: row.verdicts,
  repeats: row.repeats,
  repeatedAt: row.repeated_at,
});
