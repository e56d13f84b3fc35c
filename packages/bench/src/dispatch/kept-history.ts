import pg from 'pg';
import type { Figures } from '../suite.js';
import { emptied } from './emptied.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

export interface KeptHistoryRuns {
  /** Events of this day that are kept, of 1,000 webhooks. */
  readonly kept: number;
  readonly deliveries: number;
}

/** Events that one statement files. */
const STEP = 50_000;

/**
 * Measures the bytes that are logged for a delivery beside much that was delivered on the same day: right after a
 * checkpoint, and for as many deliveries after those.
 */
export async function measureKeptHistory(world: World, runs: KeptHistoryRuns): Promise<Figures> {
  const { kept, deliveries } = runs;
  const { pool, run } = world;
  const users = await world.usersAt(world.receiver.plainUrl, USERS);
  run.say(`${kept} events are filed`);
  for (let done = 0; done < kept; done += STEP) await pool.query(KEPT, [STEP, kept - done]);
  await pool.query('vacuum analyze seen_events, deliveries');
  await checkpoint(world);
  const logged = async () => {
    const before = await logEnd(world);
    await emptied(world, { users, deliveries });
    return ((await logEnd(world)) - before) / deliveries;
  };
  return { kept_checkpoint_wal_bytes: await logged(), kept_wal_bytes: await logged() };
}

/** Has the server make a checkpoint, which its superuser alone may ask for. */
async function checkpoint({ backends }: World): Promise<void> {
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

/** Files events that were delivered at the first attempt, `$2` ms ago and later. */
const KEPT = `
with made as materialized (
  select gen_random_uuid() as message_id, md5('webhook' || n % 1000)::uuid as webhook_id,
         md5('user' || n % 1000)::uuid as user_id, now() + (n - $2::integer) * interval '1 ms' as at,
         uuidv7((n - $2::integer) * interval '1 ms') as delivery_id
    from generate_series(1, $1::integer) n
), seen as (
  insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
  select (now() at time zone 'utc')::date, message_id, '/bench', message_id::text, user_id, 'inbox.organized', at,
         jsonb_build_object('wh_' || webhook_id, 'pending') from made
)
insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body, sent_at, body_bytes, http_status,
                        headers_ms, total_ms)
select (now() at time zone 'utc')::date, delivery_id, message_id, webhook_id, user_id, 'inbox.organized',
       convert_to(repeat(md5(message_id::text), 20), 'utf8'), at, 640, 200, 2, 2 from made`;
