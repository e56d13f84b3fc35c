import type pg from 'pg';
import type { Job } from '../../../application/job.js';
import type {
  DueInTurns,
  DueOf,
  DueOfQuery,
  DueQuery,
  DueWork,
} from '../../../application/sending/due-work.js';
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
}

/** Ids in a DueRow. */
export const DUE_IDS = { delivery_id: 'dlv', webhook_id: 'wh', message_id: 'msg' } as const;

interface WorkRow extends DueRow {
  readonly index_version: string;
  readonly free_shards: boolean;
  readonly backlogged: boolean;
  readonly soonest_ms: number | null;
}

/** Due deliveries that are read of one shard; a shard with more has a backlog. */
const SHARD_ROWS_MAX = 100;
/** Webhooks that one read in turns passes, and what is taken of each of them, or of each that is asked for. */
const TURNS_MAX = 500;
const TURN_ROWS_MAX = 32;
const NIL = 'wh_00000000-0000-0000-0000-000000000000';

/**
 * Reads the due deliveries of these shards, a webhook's first before any second, and the version of the index in the
 * same snapshot. However many are due, the statement looks at SHARD_ROWS_MAX of each shard only. As the statement runs
 * often enough for a hand-over, it also says whether shards are free, at no extra cost.
 */
export const dueWork =
  (db: pg.Pool | pg.ClientBase, openSealed: OpenSealed) =>
  async (query: DueQuery): Promise<DueWork> => {
    const { rows } = await readDue(db, { ...valuesOf(query), shard_rows_max: SHARD_ROWS_MAX });
    const [first] = rows;
    return {
      indexVersion: first?.index_version ?? '',
      freeShards: first?.free_shards ?? false,
      isBacklogged: first?.backlogged ?? false,
      soonestMs: first?.soonest_ms ?? undefined,
      jobs: await jobsOf(db, openSealed, rows),
    };
  };

/**
 * A few of each webhook that has something due, from behind the one where the last read ended. However
 * much one webhook has, the others get their turn: its rows are stepped over in the index.
 */
export const dueInTurns =
  (pool: pg.Pool, openSealed: OpenSealed) =>
  async (query: DueQuery, after: string | undefined): Promise<DueInTurns> => {
    const { rows } = await readInTurns(pool, {
      ...valuesOf(query),
      after_webhook_id: after ?? NIL,
      turns_max: TURNS_MAX,
    });
    return {
      goOnAfter: rows[0]?.last_webhook_id ?? undefined,
      jobs: await jobsOf(pool, openSealed, rows),
    };
  };

/** A few of each of these webhooks. */
export const dueOf =
  (db: pg.Pool | pg.ClientBase, openSealed: OpenSealed) =>
  async ({ webhookIds, exceptDeliveries, limit }: DueOfQuery): Promise<DueOf> => {
    const { rows } = await readOf(db, {
      except_delivery_ids: exceptDeliveries,
      limit,
      webhook_ids: webhookIds,
    });
    const due = rows.filter(isDelivery);
    return { jobs: await jobsOf(db, openSealed, due), all: allReadOf(webhookIds, due, limit) };
  };

/** Returns the webhooks that have nothing more due. After a read that reached a limit, more may be due. */
function allReadOf(webhookIds: readonly string[], due: readonly Due[], limit: number) {
  if (due.length >= limit) return [];
  const counts = new Map<string, number>();
  for (const { webhook_id: id } of due) counts.set(id, (counts.get(id) ?? 0) + 1);
  return webhookIds.filter((id) => (counts.get(id) ?? 0) < TURN_ROWS_MAX);
}

const EXCEPT_IDS = { except_delivery_ids: 'dlv', except_webhook_ids: 'wh' } as const;

const valuesOf = ({ shards, exceptWebhooks, exceptDeliveries, limit }: DueQuery) => ({
  except_delivery_ids: exceptDeliveries,
  limit,
  shards,
  except_webhook_ids: exceptWebhooks,
});

// Looked up one by one: a join may read all that came in a day.
const WITH_BODY = `
  left join lateral (
    select c.delivery_id, c.day::text, c.webhook_id, c.user_id, c.shard, c.attempt, c.unscheduled, c.turn, c.next_at,
           d.message_id, d.kind, d.body, d.key_id, d.traceparent
      from chosen c
     cross join lateral (select message_id, kind, body, key_id, traceparent from deliveries
                          where day = c.day and delivery_id = c.delivery_id limit 1) d) due on true
 order by due.turn, due.next_at, due.delivery_id`;

// `not in` a select is a lookup in a hash, however many these are; `<> all` may be a search for each row.
const readDue = statement<WorkRow>(
  'due_work',
  `
with due as materialized (
  select p.* from unnest(:shards::smallint[]) s (shard)
   cross join lateral (
     select * from pending
      where shard = s.shard and next_at <= now()
        and delivery_id not in (select unnest(:except_delivery_ids::uuid[]))
      order by next_at limit :shard_rows_max) p
), backlog as (
  select exists (select from due group by shard having count(*) >= :shard_rows_max) as backlogged
), chosen as (
  select d.*, row_number() over (partition by webhook_id order by next_at, delivery_id) as turn
    from due d
   where webhook_id not in (select unnest(:except_webhook_ids::uuid[])) and not (select backlogged from backlog)
   order by turn, next_at, delivery_id limit :limit
)
select i.version as index_version, free.shards as free_shards, backlog.backlogged, soonest.ms as soonest_ms,
       due.*
  from webhook_index i
 cross join backlog
 cross join (select exists (select from shard_leases
                             where owner is null or expires_at <= now()) as shards) free
 cross join (select extract(epoch from min(p.next_at) - now())::float8 * 1000 as ms
               from unnest(:shards::smallint[]) s (shard)
              cross join lateral (select next_at from pending
                                   where shard = s.shard and next_at > now()
                                   order by next_at limit 1) p) soonest
${WITH_BODY}`,
  { ...DUE_IDS, ...EXCEPT_IDS },
);

// Chooses the first due deliveries of each webhook `w`.
const CHOSEN = `
  select p.*, row_number() over (partition by p.webhook_id order by p.next_at, p.delivery_id) as turn
    from w
   cross join lateral (
     select * from pending
      where webhook_id = w.webhook_id and next_at <= now()
        and delivery_id not in (select unnest(:except_delivery_ids::uuid[]))
      order by next_at limit ${TURN_ROWS_MAX}) p
   order by turn, p.next_at limit :limit`;

const readInTurns = statement<DueRow & { readonly last_webhook_id: string | null }>(
  'due_in_turns',
  `
with recursive webhook (webhook_id, shard, n) as (
  (select webhook_id, shard, 1 from pending where webhook_id > :after_webhook_id order by webhook_id limit 1)
  union all
  select p.webhook_id, p.shard, w.n + 1 from webhook w
   cross join lateral (select webhook_id, shard from pending
                        where webhook_id > w.webhook_id order by webhook_id limit 1) p
   where w.n < :turns_max
), w as (
  select webhook_id from webhook
   where shard = any (:shards) and webhook_id not in (select unnest(:except_webhook_ids::uuid[]))
), chosen as (${CHOSEN})
select (select webhook_id from webhook where n = :turns_max) as last_webhook_id, due.*
  from (values (1)) one
${WITH_BODY}`,
  { ...DUE_IDS, ...EXCEPT_IDS, after_webhook_id: 'wh', last_webhook_id: 'wh' },
);

const readOf = statement<DueRow>(
  'due_of',
  `
with w as (select unnest(:webhook_ids::uuid[]) as webhook_id), chosen as (${CHOSEN})
select due.* from (values (1)) one
${WITH_BODY}`,
  { ...DUE_IDS, except_delivery_ids: 'dlv', webhook_ids: 'wh' },
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

const isDelivery = (row: DueRow): row is Due => row.delivery_id !== null;

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
    },
  ];
}
