import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../domain/delivery/events.js';
import type { DeliveryFilter } from '../../http/history/history-schemas.js';
import { type Statement, statement } from '../statement.js';
import { dayOf, lowestIdAt, timeOfId } from '../stored-id.js';
import type { FoundKey } from './delivery-rows.js';

const DAY_MS = 86_400_000;

export interface Range {
  readonly begin: Date;
  readonly end: string;
  /** Most deliveries of each webhook. */
  readonly each: number;
  /** Most deliveries of all webhooks together. */
  readonly count: number;
}

export interface Scanned {
  /** Keys of deliveries that may match, newest first. */
  readonly keys: readonly FoundKey[];
  /** Id down to which every delivery was looked at; undefined: every delivery of the range was. */
  readonly cut: string | undefined;
}

interface ScannedRow {
  readonly cut_delivery_id: string | null;
  readonly day: string;
  /** Null: none may match. */
  readonly delivery_id: string | null;
  readonly is_whole: boolean;
}

/** Looks at the newest deliveries of these webhooks within the range. */
export async function scan(
  db: pg.Pool,
  webhookIds: readonly string[],
  filter: DeliveryFilter,
  { begin, end, each, count }: Range,
): Promise<Scanned> {
  const source = sourceOf(filter);
  const values = {
    webhook_ids: webhookIds,
    first_delivery_id: lowestIdAt(begin),
    end_delivery_id: end,
    each,
    count,
    ...(source !== 'pending' && {
      first_day: dayOf(begin, -DAY_MS),
      last_day: dayOf(timeOfId(end), DAY_MS),
    }),
    ...(source === 'deliveries' ? ownValues(filter) : { statuses: statusesOf(filter) }),
    ...((source === 'outcomes' || source === 'failed') && { sent_again: marksOf(filter) }),
  };
  const { rows } = await inTransaction(db, (tx) => KEYS[source](tx, values), {
    walksIndexes: true,
  });
  // A delivery that was held and later cancelled has two outcomes.
  const keys = new Map<string, FoundKey>();
  for (const { day, delivery_id, is_whole } of rows) {
    if (delivery_id !== null) keys.set(delivery_id, { day, delivery_id, is_whole });
  }
  return { keys: [...keys.values()], cut: rows[0]?.cut_delivery_id ?? undefined };
}

const statusesOf = ({ status = [...DELIVERY_STATUSES] }: DeliveryFilter) => status;

const marksOf = ({ sent_again }: DeliveryFilter): readonly boolean[] =>
  sent_again === undefined ? [false, true] : [sent_again];

const ownValues = ({ event_type, message_id, http_status }: DeliveryFilter) => ({
  kind: event_type ?? null,
  message_id: message_id ?? null,
  lowest: http_status?.min ?? null,
  highest: http_status?.max ?? null,
});

export type Source = 'pending' | 'outcomes' | 'failed' | 'deliveries';

/** Chooses the source that holds all matching deliveries and the fewest others. */
export function sourceOf({ status, http_status }: DeliveryFilter): Source {
  if (status === undefined || status.includes('succeeded')) {
    // A failed answer leaves a delivery pending or ended, so both tables are searched.
    return http_status !== undefined && !isSuccess(http_status) ? 'failed' : 'deliveries';
  }
  if (status.every(waits)) return 'pending';
  return status.some(waits) ? 'failed' : 'outcomes';
}

const waits = (status: DeliveryStatus): boolean => status === 'pending' || status === 'retrying';

const isSuccess = ({ min, max }: NonNullable<DeliveryFilter['http_status']>): boolean =>
  min >= 200 && max <= 299;

const DAYS = 'day between :first_day::date and :last_day::date';
const BOUNDS = 'delivery_id >= :first_delivery_id and delivery_id < :end_delivery_id';
const NEWEST = 'order by delivery_id desc limit :each';

const WAITING = `
  select day, delivery_id, status, false as is_whole from pending
   where webhook_id = w.webhook_id and ${BOUNDS} ${NEWEST}`;

/** Each status by itself, with its mark: what has another one is passed over without being read. */
const ENDED = `
  select o.* from (select status, sent_again from unnest(:statuses::text[]) status, unnest(:sent_again::boolean[]) sent_again
                    where status not in ('pending', 'retrying', 'succeeded')) e
   cross join lateral (select day, delivery_id, status, false as is_whole from outcomes
                        where webhook_id = w.webhook_id and status = e.status and sent_again = e.sent_again
                          and ${BOUNDS} and ${DAYS} ${NEWEST}) o
   ${NEWEST}`;

/** The newest of one webhook, and the condition on them, by what their rows say themselves. */
const SOURCES: Readonly<Record<Source, { readonly newest: string; readonly matches: string }>> = {
  pending: { newest: WAITING, matches: 'l.status = any (:statuses::text[])' },
  outcomes: { newest: ENDED, matches: 'l.status = any (:statuses::text[])' },
  failed: {
    newest: `(${ENDED}) union all (${WAITING}) ${NEWEST}`,
    matches: 'l.status = any (:statuses::text[])',
  },
  deliveries: {
    newest: `select day, delivery_id, kind, message_id, http_status, sent_at is not null as is_whole
               from deliveries where webhook_id = w.webhook_id and ${BOUNDS} and ${DAYS} ${NEWEST}`,
    matches: `(:kind::text is null or l.kind = :kind) and (:message_id::uuid is null or l.message_id = :message_id)
          and (:lowest::int is null or not l.is_whole or l.http_status between :lowest and :highest)`,
  },
};

// Without a name, and so planned for its values each time: days that lie outside are not even opened. Webhook by
// webhook, each in the order of its index: of several at once, Postgres would sort all that they have.
const keysFrom = (source: Source): Statement<ScannedRow> =>
  statement<ScannedRow>(
    null,
    `
with scanned as materialized (
  select w.webhook_id, s.*
    from unnest(:webhook_ids::uuid[]) w (webhook_id) cross join lateral (${SOURCES[source].newest}) s
), reached as (
  -- A webhook that may have more was read down to its last row here. Rows below the last row of any such webhook
  -- are looked at by the next page.
  select (array_agg(last_id order by last_id desc))[1] as delivery_id
    from (select (array_agg(delivery_id order by delivery_id))[1] as last_id
            from scanned group by webhook_id having count(*) = :each) cut
), looked_at as (
  select * from scanned
   where delivery_id >= coalesce((select delivery_id from reached), :first_delivery_id)
   order by delivery_id desc limit :count
), edge as (
  select case when count(*) = :count then (array_agg(delivery_id order by delivery_id))[1]
              else (select delivery_id from reached) end as cut_delivery_id
    from looked_at
)
select edge.cut_delivery_id, l.day::text, l.delivery_id, l.is_whole
  from edge left join looked_at l on ${SOURCES[source].matches}
 order by l.delivery_id desc`,
    {
      webhook_ids: 'wh',
      first_delivery_id: 'dlv',
      end_delivery_id: 'dlv',
      cut_delivery_id: 'dlv',
      delivery_id: 'dlv',
      ...(source === 'deliveries' && { message_id: 'msg' }),
    },
  );

const KEYS: Readonly<Record<Source, Statement<ScannedRow>>> = {
  pending: keysFrom('pending'),
  outcomes: keysFrom('outcomes'),
  failed: keysFrom('failed'),
  deliveries: keysFrom('deliveries'),
};
