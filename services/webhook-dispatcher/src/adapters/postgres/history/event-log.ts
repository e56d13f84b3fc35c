import type pg from 'pg';
import type { DeliverySummary } from '../../../application/delivery-log.js';
import type { EventDetail, EventSummary, SeenEventFilter } from '../../../application/event-log.js';
import type { Page } from '../../../application/page.js';
import type { Verdict } from '../../../domain/delivery/match.js';
import { fromStoredId, lowestIdAt, toStoredId } from '../stored-id.js';
import { type DeliveryKey, deliveriesAt } from './delivery-rows.js';

interface EventRow {
  readonly day: string;
  readonly message_id: string;
  readonly ce_source: string;
  readonly ce_id: string;
  readonly kind: string;
  readonly at: Date;
  readonly at_micros: string;
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

const COLUMNS = `day::text, message_id, ce_source, ce_id, kind, at, verdicts,
                 (extract(epoch from at) * 1000000)::bigint as at_micros`;

/** An id says when a delivery was filed, by the clock of who filed it; the event, by the database's. */
const CLOCKS_APART_MS = 10 * 60_000;

/** What their user reads of events, for as long as they are known. */
export const eventLog = (pool: pg.Pool) => ({
  /** Newest first. The cursor is a moment in microseconds and an id. */
  async page(userId: string, { after, limit, kind }: SeenEventFilter): Promise<Page<EventSummary>> {
    const { rows } = await pool.query<EventRow>({
      name: 'event_page',
      text: `select ${COLUMNS} from seen_events
              where user_id = $1
                and (at, message_id) < (to_timestamp($2::numeric / 1000000), $3::uuid)
                and ($4::text is null or kind = $4)
              order by at desc, message_id desc limit $5`,
      values: [
        userId,
        after?.atMicros ?? FAR_AHEAD_MICROS,
        toStoredId(after?.messageId ?? HIGHEST),
        kind ?? null,
        limit + 1,
      ],
    });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(toEvent),
      nextAfter:
        rows.length > limit && last
          ? `${last.at_micros}.${fromStoredId('msg', last.message_id)}`
          : undefined,
    };
  },

  async detail(userId: string, messageId: string): Promise<EventDetail | undefined> {
    const { rows } = await pool.query<EventRow>({
      name: 'event_detail',
      text: `select ${COLUMNS} from seen_events where message_id = $1 and user_id = $2
              order by day desc limit 1`,
      values: [toStoredId(messageId), userId],
    });
    const [row] = rows;
    return row && { ...toEvent(row), deliveries: await deliveriesOf(pool, row) };
  },
});

const FAR_AHEAD_MICROS = String(Date.UTC(9000, 0, 1) * 1_000);
const HIGHEST = 'msg_ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Found by webhook and time: an index by message would cost every delivery an entry. */
async function deliveriesOf(pool: pg.Pool, row: EventRow): Promise<readonly DeliverySummary[]> {
  const { rows } = await pool.query<DeliveryKey>({
    name: 'event_deliveries',
    text: `with first as materialized (
             select day, delivery_id from deliveries
              where day = $1::date and webhook_id = any ($2::uuid[])
                and delivery_id between $3 and $4 and message_id = $5 and original_id is null
           )
           select day::text, delivery_id from first
           union all
           select r.day::text, r.delivery_id from first join redeliveries r on r.original_id = first.delivery_id
            order by delivery_id`,
    values: [
      row.day,
      Object.keys(row.verdicts).map(toStoredId),
      lowestIdAt(new Date(row.at.getTime() - CLOCKS_APART_MS)),
      lowestIdAt(new Date(row.at.getTime() + CLOCKS_APART_MS)),
      row.message_id,
    ],
  });
  return deliveriesAt(pool, rows);
}

const toEvent = (row: EventRow): EventSummary => ({
  messageId: fromStoredId('msg', row.message_id),
  source: row.ce_source,
  id: row.ce_id,
  kind: row.kind,
  receivedAt: row.at,
  verdicts: row.verdicts,
});
