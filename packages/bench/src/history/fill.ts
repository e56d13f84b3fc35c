import type { World } from '../dispatch/world.js';

const TABLES = ['seen_events', 'deliveries', 'attempts', 'outcomes'] as const;
const DAY_MS = 86_400_000;
/** Ten attempts, a second apart, belong to the day on which they began. */
const LAST_ATTEMPTS_MS = 10_000;
/** For how many days before today an event is known. */
const SEEN_DAYS = 7;
/** As long as what was tried once waits. */
const WAITING_DAYS = 2;
const AT_ONCE = 2;

export interface HistorySizes {
  readonly days: number;
  /** Deliveries. Every sixth took the ten attempts of the schedule, so that there are 2.5 times as many. */
  readonly perDay: number;
  readonly webhooks: number;
  /** Of the webhooks; half of all deliveries are theirs. */
  readonly busy: number;
}

export interface Webhook {
  /** wh_… */
  readonly webhookId: string;
  readonly userId: string;
}

export interface History {
  /** The first moment of each day that is filled, oldest first, in milliseconds. */
  readonly days: readonly number[];
  readonly busy: readonly Webhook[];
  readonly quiet: readonly Webhook[];
}

/** Makes webhooks, and a past for them that ends now. No dispatcher may run. */
export async function makeHistory(world: World, sizes: HistorySizes): Promise<History> {
  const { pool, run, receiver } = world;
  await world.usersAt(receiver.plainUrl, sizes.webhooks);
  const { rows: webhooks } = await pool.query<Webhook>(
    'select webhook_id as "webhookId", user_id as "userId" from webhooks order by webhook_id',
  );
  const now = Date.now();
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const days = Array.from({ length: sizes.days }, (_, n) => today - (sizes.days - 1 - n) * DAY_MS);
  for (const day of days) await makePartitions(world, day, today);

  const left = days.toReversed();
  const work = async () => {
    for (let day = left.pop(); day !== undefined; day = left.pop()) {
      run.signal.throwIfAborted();
      run.say(`${dateOf(day)}: ${sizes.perDay} deliveries are filed`);
      await fillDay(world, sizes, webhooks, { day, today, now });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  run.say('what was filed is vacuumed and analyzed, as autovacuum does it');
  for (const day of days) await pool.query(`vacuum (analyze) ${partitionsOf(day, today).join()}`);
  await pool.query(`vacuum (analyze) pending, webhook_hours`);
  return { days, busy: webhooks.slice(0, sizes.busy), quiet: webhooks.slice(sizes.busy) };
}

export const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10);

const tablesOn = (day: number, today: number): readonly string[] =>
  TABLES.filter((table) => table !== 'seen_events' || day >= today - SEEN_DAYS * DAY_MS);

const partitionOf = (table: string, day: number): string =>
  `${table}_${dateOf(day).replaceAll('-', '')}`;

const partitionsOf = (day: number, today: number): readonly string[] =>
  tablesOn(day, today).map((table) => partitionOf(table, day));

/** Named and bounded as the dispatcher's own, which makes those of today and the next days alone. */
async function makePartitions({ pool }: World, day: number, today: number): Promise<void> {
  for (const table of tablesOn(day, today)) {
    await pool.query(
      `create table if not exists ${partitionOf(table, day)}
         partition of ${table} for values from ('${dateOf(day)}') to ('${dateOf(day + DAY_MS)}')`,
    );
  }
}

interface Moments {
  readonly day: number;
  readonly today: number;
  readonly now: number;
}

async function fillDay(
  { pool }: World,
  { perDay, busy }: HistorySizes,
  webhooks: readonly Webhook[],
  { day, today, now }: Moments,
): Promise<void> {
  const longMs = Math.min(Math.max(now - day, LAST_ATTEMPTS_MS), DAY_MS - LAST_ATTEMPTS_MS);
  await pool.query(FILL_DAY, [
    dateOf(day),
    day,
    longMs,
    perDay,
    webhooks.map(({ webhookId }) => webhookId.slice('wh_'.length)),
    webhooks.map(({ userId }) => userId),
    busy,
    day >= today - SEEN_DAYS * DAY_MS,
    day > today - WAITING_DAYS * DAY_MS,
  ]);
}

/**
 * A day of deliveries, evenly over its length. Of 600, one is exhausted and one refused, and of the last
 * days ten wait for their first and ten for their second attempt; every sixth took ten. Bodies are small.
 */
const FILL_DAY = `
with webhook as (
  select number - 1 as number, webhook_id, user_id
    from unnest($5::uuid[], $6::uuid[]) with ordinality w (webhook_id, user_id, number)
), numbered as materialized (
  select n, $2::bigint + n::bigint * $3::bigint / $4::integer as ms,
         abs(hashint8($2::bigint + n)::bigint) as chance
    from generate_series(1, $4::integer) n
), made as materialized (
  select n, (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as id,
         md5(ms || '/' || n)::uuid as message_id, to_timestamp(ms / 1000.0) as at, webhook_id, user_id,
         case chance / 2000 % 100 when 0 then 'reminder.sent' else 'inbox.organized' end as kind,
         case when n % 600 = 0 then 'exhausted'
              when n % 600 = 1 then 'refused'
              when $9::boolean and n % 60 = 2 then 'retrying'
              when $9 and n % 60 = 3 then 'pending'
              else 'succeeded' end as status,
         case when n % 6 = 0 then 10 when $9 and n % 60 = 3 then 0 else 1 end as attempts
    from numbered
    join webhook on number = case chance % 2 when 0 then chance / 2 % $7::integer
                                             else $7 + chance / 2 % (cardinality($5) - $7) end
), tried as materialized (
  select id, webhook_id, user_id, a as n, at + (a - 1) * interval '1 s' as at,
         case when status = 'refused' then 'url_private_address'
              when a = attempts and status = 'succeeded' then 'succeeded'
              else 'http_503' end as result
    from made cross join generate_series(1, attempts) a
), filed as (
  insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body)
  select $1::date, id, message_id, webhook_id, user_id, kind,
         convert_to('{"event_type":"' || kind || '","data":{"total_emails":' || n || '}}', 'utf8')
    from made
), attempted as (
  insert into attempts (day, delivery_id, n, at, result, http_status, headers_ms, total_ms)
  select $1::date, id, n, at, result,
         case result when 'succeeded' then 200 when 'http_503' then 503 end, 1, 1
    from tried
), ended as (
  insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
  select $1::date, id, webhook_id, status,
         case status when 'refused' then 'url_private_address' else 'http_503' end, at
    from made where status in ('exhausted', 'refused')
), waiting as (
  insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
  select id, $1::date, webhook_id, user_id, n % 48, attempts + 1, status, now() + interval '1 day'
    from made where status in ('retrying', 'pending')
), seen as (
  insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
  select $1::date, message_id, '/bench', message_id::text, user_id, kind, at,
         jsonb_build_object('wh_' || webhook_id, 'pending')
    from made where $8::boolean
)
insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency)
select webhook_id, date_trunc('hour', at, 'UTC'), user_id,
       count(*) filter (where result = 'succeeded'), count(*) filter (where result <> 'succeeded'),
       array[count(*)::integer] || array_fill(0, array[33])
  from tried where result <> 'url_private_address' group by 1, 2, 3`;
