import type pg from 'pg';
import type { Job } from '../../../application/job.js';
import type { DueQuery, DueWork } from '../../../application/sending/due-work.js';
import type { OpenSealed } from '../sealed-rows.js';
import { statement } from '../statement.js';
import { bodyPlace } from '../stored-answer.js';

export interface DueRow {
  readonly delivery_id: string | null;
  readonly day: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly user_id: string;
  readonly kind: string;
  readonly shard: number;
  readonly attempt: number;
  readonly unscheduled: number;
  readonly body: Buffer;
  readonly key_id: string | null;
  readonly traceparent: string | null;
  /** Absent in a read that keeps the order of arrival. */
  readonly is_replay?: boolean;
}

/** Ids in a DueRow. */
export const DUE_IDS = { delivery_id: 'dlv', webhook_id: 'wh', message_id: 'msg' } as const;

interface WorkRow extends DueRow {
  readonly index_version: string;
  readonly free_shards: boolean;
  readonly soonest_ms: number | null;
  readonly looked_ids: readonly string[];
  readonly is_more: boolean;
  /** Number of deliveries that are due and not in hand; counted up to `of_each`. */
  readonly found: number;
  /** Number of deliveries that were looked at of each webhook. */
  readonly of_each: number;
}

/** Webhooks of one shard that one read looks at. */
const SHARD_WEBHOOKS_MAX = 100;
/** Deliveries that a read brings of each webhook; more, if there is room for more of so few webhooks. */
const TURN_ROWS_MIN = 32;

/**
 * Reads due deliveries of the webhooks whose time has come, and the version of the index in the same snapshot. The
 * webhooks that were looked at are put off until the next of their deliveries is due, or by a minute while something
 * of them is. So the next read finds those behind them, and none costs anything before its time. As the statement runs
 * often enough for a hand-over, it also says whether shards are free, at no extra cost.
 */
export const dueWork =
  (db: pg.Pool | pg.ClientBase, openSealed: OpenSealed) =>
  async (query: DueQuery): Promise<DueWork> => {
    const { shards, epochs, webhookIds, exceptWebhooks, exceptDeliveries, limit } = query;
    const { rows } = await readDue(db, {
      shards,
      epochs,
      webhook_ids: webhookIds,
      except_webhook_ids: exceptWebhooks,
      except_delivery_ids: exceptDeliveries,
      limit,
      looked_max: Math.max(0, limit - webhookIds.length),
    });
    const [first] = rows;
    if (first === undefined) throw new Error('The index of webhooks has no row.');
    const except = new Set(exceptWebhooks);
    const looked = new Set([...first.looked_ids, ...webhookIds].filter((id) => !except.has(id)));
    const all = allReadOf(looked, rows.filter(isDelivery));
    return {
      indexVersion: first.index_version,
      freeShards: first.free_shards,
      isMore: first.is_more,
      soonestMs: first.soonest_ms ?? undefined,
      jobs: await jobsOf(db, openSealed, rows),
      all: [...all],
      left: first.looked_ids.filter((id) => !all.has(id)),
    };
  };

/** Returns the webhooks that have nothing more due. A webhook without a row has nothing due. */
function allReadOf(webhookIds: ReadonlySet<string>, rows: readonly WorkRow[]): ReadonlySet<string> {
  const all = new Set(webhookIds);
  const counts = new Map<string, number>();
  for (const { webhook_id: id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { webhook_id: id, found, of_each } of rows) {
    if (found >= of_each || found > (counts.get(id) ?? 0)) all.delete(id);
  }
  return all;
}

/** Selects the first due deliveries of a webhook `w` that no one has in hand. Those of replays have an index. */
const dueOf = (which: string) => `
  select * from pending
   where webhook_id = w.webhook_id and next_at <= now() and ${which}
     and delivery_id not in (select unnest(:except_delivery_ids::uuid[]))
   order by next_at limit (select n from of_each)`;

// `not in` a select is a lookup in a hash, however many these are; `<> all` may be a search for each row. Bodies are
// looked up one by one: a join may read all that came in a day.
//
// A webhook is put off only as it was when the snapshot was taken: `change` is another once something was filed for it.
// Rows that a transaction under way has locked are left as they are, so this statement waits for none.
const readDue = statement<WorkRow>(
  'due_work',
  `
with lease as materialized (
  select * from unnest(:shards::smallint[], :epochs::bigint[]) s (shard, epoch)
), come as materialized (
  select d.* from lease
   cross join lateral (
     (select * from webhook_due
       where shard = lease.shard and due_at <= now() order by due_at limit ${SHARD_WEBHOOKS_MAX})
      union all
     (select * from webhook_due
       where shard = lease.shard and kept_under < lease.epoch and due_at > now() limit ${SHARD_WEBHOOKS_MAX})) d
), looked as materialized (
  select webhook_id, change from come order by due_at limit :looked_max
), w as materialized (
  select webhook_id from looked where webhook_id not in (select unnest(:except_webhook_ids::uuid[]))
   union select unnest(:webhook_ids::uuid[])
), of_each as (
  select greatest(${TURN_ROWS_MIN}, :limit::int / greatest(1, count(*)))::int as n from w
), chosen as (
  select p.*, row_number() over (partition by p.webhook_id order by p.is_replay, p.next_at, p.delivery_id) as turn,
         count(*) over (partition by p.webhook_id)::int as found
    from w
   cross join lateral (
     (${dueOf('not is_replay')}) union all (${dueOf('is_replay')})
      order by is_replay, next_at limit (select n from of_each)) p
   order by turn, p.next_at limit :limit
), unchanged as materialized (
  select webhook_id from webhook_due
   where webhook_id = any (array(select webhook_id from looked)) and change = any (array(select change from looked))
     for update skip locked
), again as materialized (
  select u.webhook_id, is_due,
         case when is_due then least(next_at, now() + interval '1 minute') else next_at end as due_at
    from unchanged u
   cross join lateral (
     select exists (select from pending where webhook_id = u.webhook_id and next_at <= now()) as is_due) due
    left join lateral (
     select next_at from pending
      where webhook_id = u.webhook_id and next_at > now() order by next_at limit 1) later on true
), put_off as (
  update webhook_due d
     set due_at = a.due_at, kept_under = case when a.is_due then (select epoch from lease where shard = d.shard) end
    from again a where d.webhook_id = a.webhook_id and a.due_at is not null
  returning d.due_at
), ended as (
  delete from webhook_due where webhook_id = any (array(select webhook_id from again where due_at is null))
)
select i.version as index_version, free.shards as free_shards, soonest.ms as soonest_ms,
       array(select webhook_id from looked) as looked_ids,
       (select count(*) >= :looked_max and count(*) > 0 from come)
         or exists (select from come group by shard having count(*) >= ${SHARD_WEBHOOKS_MAX}) as is_more,
       (select n from of_each) as of_each, due.*
  from webhook_index i
 cross join (select exists (select from shard_leases
                             where owner is null or expires_at <= now()) as shards) free
 cross join (select extract(epoch from min(due_at) - now())::float8 * 1000 as ms
               from (select due_at from put_off
                      union all
                     select d.due_at from lease
                      cross join lateral (select due_at from webhook_due
                                           where shard = lease.shard and due_at > now()
                                           order by due_at limit 1) d) later) soonest
  left join lateral (
    select c.delivery_id, c.day::text, c.webhook_id, c.user_id, c.shard, c.attempt, c.unscheduled, c.turn, c.next_at,
           c.found, c.is_replay, d.message_id, d.kind, d.body, d.key_id, d.traceparent
      from chosen c
     cross join lateral (select message_id, kind, body, key_id, traceparent from deliveries
                          where day = c.day and delivery_id = c.delivery_id limit 1) d) due on true
 order by due.turn, due.next_at, due.delivery_id`,
  {
    ...DUE_IDS,
    webhook_ids: 'wh',
    looked_ids: 'wh',
    except_delivery_ids: 'dlv',
    except_webhook_ids: 'wh',
  },
);

/** See DueReads.lookAgain. */
export const lookAgain =
  (db: pg.Pool | pg.ClientBase) =>
  async (shards: readonly number[]): Promise<void> =>
    void (await dueAgain(db, { shards }));

// Locked in the order in which the trigger of `pending` locks them.
const dueAgain = statement(
  'due_again',
  `update webhook_due d set due_at = least(d.due_at, now()), kept_under = null
     from (select webhook_id from webhook_due
            where kept_under is not null and shard = any (:shards::smallint[])
            order by webhook_id for update) l
    where d.webhook_id = l.webhook_id`,
);

async function jobsOf(
  db: pg.Pool | pg.ClientBase,
  openSealed: OpenSealed,
  rows: readonly DueRow[],
): Promise<readonly Job[]> {
  const due = rows.filter(isDelivery);
  const bodies = await openSealed(due.map(sealedBody));
  const unreadable = due.filter((_, index) => bodies[index] === undefined);
  if (unreadable.length > 0) {
    await putOff(db, { delivery_ids: unreadable.map((row) => row.delivery_id) });
  }
  return due.flatMap((row, index) => toJob(row, bodies[index]));
}

/** Puts off deliveries that do not open: while due, they would be read again and again instead of those behind them. */
const putOff = statement(
  'put_off_unreadable',
  `update pending set next_at = now() + interval '5 minutes'
    where delivery_id = any (:delivery_ids::uuid[]) and next_at <= now()`,
  { delivery_ids: 'dlv' },
);

export type Due = DueRow & { readonly delivery_id: string };

const isDelivery = <Row extends DueRow>(row: Row): row is Row & Due => row.delivery_id !== null;

export const sealedBody = (row: Due) => ({
  userId: row.user_id,
  bytes: row.body,
  keyId: row.key_id,
  place: bodyPlace(row.delivery_id),
});

/** A body whose key is destroyed belongs to a user who was deleted: its row is about to go. */
export function toJob(row: Due, body: Buffer | undefined): readonly Job[] {
  if (body === undefined) return [];
  return [
    {
      deliveryId: row.delivery_id,
      day: row.day,
      messageId: row.message_id,
      webhookId: row.webhook_id,
      webhookVersion: 0,
      userId: row.user_id,
      kind: row.kind,
      shard: row.shard,
      attempt: row.attempt,
      unscheduled: row.unscheduled,
      body,
      ...(row.traceparent !== null && { traceparent: row.traceparent }),
      ...(row.is_replay === true && { isReplay: true }),
    },
  ];
}
