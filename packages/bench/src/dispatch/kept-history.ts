import pg from 'pg';
import type { Figures } from '../suite.js';
import { emptied } from './emptied.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

/** Events that one statement files. */
const STEP = 50_000;
const DAY_MS = 86_400_000;

/**
 * Measures the bytes that are logged for a delivery beside much that was delivered on the same day: right after a
 * checkpoint, and for as many deliveries after those.
 */
export async function measureKeptHistory(world: World, deliveries: number): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, USERS);
  await world.pool.query('vacuum analyze seen_events, deliveries');
  await checkpoint(world);
  const logged = async () => {
    const before = await logEnd(world);
    await emptied(world, { users, deliveries });
    return ((await logEnd(world)) - before) / deliveries;
  };
  return { kept_checkpoint_wal_bytes: await logged(), kept_wal_bytes: await logged() };
}

/** Events that came at even intervals, and their deliveries. */
export interface FiledEvents {
  readonly count: number;
  /** Moment of the first, in milliseconds since 1970. */
  readonly fromMs: number;
  readonly everyMs: number;
  /** The webhooks that got them in turn, as UUIDs, and the users of these. */
  readonly webhookIds: readonly string[];
  readonly userIds: readonly string[];
  /** Number of deliveries of which one is exhausted and one held; absent: each succeeded at its first attempt. */
  readonly failingEvery?: number;
}

/** Files events as rows, with the partitions of their days. */
export async function fileEvents(pool: pg.Pool, events: FiledEvents): Promise<void> {
  const { count, fromMs, everyMs, webhookIds, userIds, failingEvery = null } = events;
  const toMs = fromMs + count * everyMs;
  for (let ms = fromMs; dayOf(ms) <= dayOf(toMs); ms += DAY_MS) await makeDay(pool, dayOf(ms));
  for (let done = 0; done < count; done += STEP) {
    const last = Math.min(count, done + STEP) - 1;
    await pool.query(FILED, [done, last, fromMs, everyMs, webhookIds, userIds, failingEvery]);
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function makeDay(pool: pg.Pool, day: string): Promise<void> {
  for (const table of ['seen_events', 'deliveries', 'attempts', 'outcomes']) {
    await pool.query(
      `create table if not exists ${table}_${day.replaceAll('-', '')} partition of ${table}
         for values from ('${day}') to ('${day}'::date + 1)`,
    );
  }
}

/** Has the server make a checkpoint, which its superuser alone may ask for. */
export async function checkpoint({ backends }: World): Promise<void> {
  const admin = new pg.Client({ connectionString: backends.postgres?.adminUrl });
  await admin.connect();
  await admin.query('checkpoint');
  await admin.end();
}

async function logEnd({ pool }: World): Promise<number> {
  const { rows } = await pool.query<{ at: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as at`,
  );
  return rows[0]?.at ?? Number.NaN;
}

const FILED = `
with made as materialized (
  select (at at time zone 'utc')::date as day, gen_random_uuid() as message_id, w.webhook_id, w.user_id, at,
         uuidv7(at - clock_timestamp()) as delivery_id,
         case (n + n / cardinality($5::uuid[])) % $7::int when 0 then 'exhausted' when 1 then 'held' end as ended
    from generate_series($1::int, $2::int) n
   cross join lateral (select to_timestamp(($3::float8 + n * $4::float8) / 1000) as at) t
    join unnest($5::uuid[], $6::uuid[]) with ordinality w (webhook_id, user_id, i) on w.i = n % cardinality($5::uuid[]) + 1
), seen as (
  insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
  select day, message_id, '/bench', message_id::text, user_id, 'inbox.organized', at,
         jsonb_build_object('wh_' || webhook_id, 'pending') from made
), attempted as (
  insert into attempts (day, delivery_id, n, at, result, http_status, total_ms)
  select day, delivery_id, 1, at, 'http_500', 500, 2 from made where ended = 'exhausted'
), ended as (
  insert into outcomes (day, delivery_id, webhook_id, status, at)
  select day, delivery_id, webhook_id, ended, at from made where ended is not null
)
insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body, sent_at, body_bytes, http_status,
                        headers_ms, total_ms)
select day, delivery_id, message_id, webhook_id, user_id, 'inbox.organized',
       convert_to('{"data":{"pad":"' || repeat(md5(message_id::text), 5) || '"}}', 'utf8'),
       case when ended is null then at end, case when ended is null then 179 end, case when ended is null then 200 end,
       2, 2 from made`;
