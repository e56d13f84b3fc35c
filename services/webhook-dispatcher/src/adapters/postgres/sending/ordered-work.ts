import type pg from 'pg';
import type { OrderedHead, OrderedWork } from '../../../application/sending/due-work.js';
import type { OpenSealed } from '../sealed-rows.js';
import { statement } from '../statement.js';
import { DUE_IDS, type Due, type DueRow, sealedBody, toJob } from './due-work.js';

interface HeadRow {
  readonly of_webhook_id: string;
  /** Milliseconds until the oldest delivery is due. */
  readonly wait_ms: number;
}

/** Read of one webhook at once. */
const ROWS_MAX = 64;

// Ids of deliveries are UUIDv7, so they stand in the order in which their events were taken in. Bodies are
// looked up one by one, for the reason in due-work.ts.
const ORDERED_WORK = `
select w.webhook_id as of_webhook_id, head.wait_ms, due.*
  from unnest(:webhook_ids::uuid[]) w (webhook_id)
 cross join lateral (
   select greatest(extract(epoch from next_at - now()), 0)::float8 * 1000 as wait_ms from pending
    where webhook_id = w.webhook_id order by delivery_id limit 1) head
  left join lateral (
    select p.delivery_id, p.day::text, p.webhook_id, p.user_id, p.shard, p.attempt, p.unscheduled,
           p.next_at <= now() as is_due, d.message_id, d.kind, d.body, d.key_id, d.traceparent
      from (select * from pending where webhook_id = w.webhook_id
             order by delivery_id limit :rows_max) p
     cross join lateral (select message_id, kind, body, key_id, traceparent from deliveries
                          where day = p.day and delivery_id = p.delivery_id limit 1) d) due
    on head.wait_ms = 0
 order by w.webhook_id, due.delivery_id`;

type Row = HeadRow & ((Due & { readonly is_due: boolean }) | (DueRow & { delivery_id: null }));

const readOrdered = statement<Row>('ordered_work', ORDERED_WORK, {
  ...DUE_IDS,
  webhook_ids: 'wh',
  of_webhook_id: 'wh',
});

/**
 * Reads the deliveries that wait for ordered webhooks: for each from its oldest on, up to the first that is not due.
 */
export const orderedWork =
  (pool: pg.Pool, openSealed: OpenSealed) =>
  async (webhookIds: readonly string[]): Promise<OrderedWork> => {
    const { rows } = await readOrdered(pool, { webhook_ids: webhookIds, rows_max: ROWS_MAX });
    const heads = new Map<string, OrderedHead>();
    for (const ours of byWebhook(rows).values()) {
      const [first] = ours;
      if (first === undefined) continue;
      heads.set(first.of_webhook_id, {
        waitMs: first.wait_ms,
        jobs: await beginningOf(ours, openSealed),
      });
    }
    return heads;
  };

/** Up to the first that is not due: what comes behind it waits with it. */
async function beginningOf(rows: readonly Row[], openSealed: OpenSealed) {
  const due: Due[] = [];
  for (const row of rows) {
    if (row.delivery_id === null || !row.is_due) break;
    due.push(row);
  }
  const bodies = await openSealed(due.map(sealedBody));
  return due.flatMap((row, index) => toJob(row, bodies[index]));
}

function byWebhook(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    groups.set(row.of_webhook_id, [...(groups.get(row.of_webhook_id) ?? []), row]);
  }
  return groups;
}
