import { inTransaction } from '@junction/eventsourcing-postgres';
import { deleteDeadLetters } from '@junction/messaging';
import type pg from 'pg';

/** An attempt under way may still write its result; after this long none can. */
const REPEAT_FOR = `interval '1 minute'`;
const USERS_MAX = 10;
/** Tables without daily partitions, whose rows are found by their user. */
const USER_TABLES = [
  'idempotency_keys',
  'redeliveries',
  'operations',
  'webhook_hours',
  'live_listeners',
  'live_tail',
  'redactions',
  'payloads_to_redact',
] as const;

/** Has all rows of the user deleted in the background, from the commit of this transaction on. */
export const requestRowDeletion = async (tx: pg.ClientBase, userId: string): Promise<void> => {
  await tx.query('insert into user_deletions (user_id) values ($1) on conflict do nothing', [
    userId,
  ]);
};

/** Deletes what a user has by now, as when they were deleted. */
export type DeleteAgain = (userId: string) => Promise<unknown>;

/**
 * Deletes the rows of users who were deleted: day by day, so that no transaction grows with what a user had. Their
 * key is shredded, but rows hold in clear what producers call their events (ce_id, ce_source), so they do not stay
 * until they are purged by age.
 */
export async function deleteUserRows(pool: pg.Pool, deleteAgain: DeleteAgain): Promise<void> {
  const { rows: users } = await pool.query<{ user_id: string; is_last: boolean }>(
    `select user_id, requested_at < now() - ${REPEAT_FOR} as is_last
       from user_deletions order by requested_at limit ${USERS_MAX}`,
  );
  for (const { user_id: userId, is_last: isLast } of users) {
    // An event or a request on its way when the user went may have left something behind since.
    await deleteAgain(userId);
    let isDone = true;
    for (const day of await daysOfDeliveries(pool))
      isDone = (await deleteDay(pool, userId, day)) && isDone;
    // Records of theirs that broke a rule: the payload may speak of them all the same.
    await inTransaction(pool, (tx) => deleteDeadLetters(tx, userId));
    for (const table of USER_TABLES) {
      await pool.query(`delete from ${table} where user_id = $1`, [userId]);
    }
    if (isLast && isDone)
      await pool.query('delete from user_deletions where user_id = $1', [userId]);
  }
}

/** The days (YYYY-MM-DD) that have a partition, oldest first. */
export async function daysOfDeliveries(db: pg.Pool | pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await db.query<{ day: string }>(
    `select to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'deliveries'::regclass order by 1`,
  );
  return rows.map((row) => row.day);
}

/** False: another replica is at it. */
const deleteDay = async (pool: pg.Pool, userId: string, day: string): Promise<boolean> =>
  inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ ours: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as ours',
      [`delete/${userId}/${day}`],
    );
    if (rows[0]?.ours !== true) return false;

    // A user may have a million rows of one day, and they have to go.
    await tx.query(`set local statement_timeout = '10min'`);
    await tx.query(DELETE_DAY, [userId, day]);
    return true;
  });

/**
 * The deliveries of a day have no index by user: they are read once, and what belongs to them is found by its keys.
 * As of one moment: of what is filed meanwhile nothing goes without the rest.
 */
const DELETE_DAY = `
with gone as (
  delete from deliveries where day = $2 and user_id = $1 returning delivery_id
), waiting as (
  delete from pending where delivery_id = any (array(select delivery_id from gone))
), attempted as (
  delete from attempts
   where day = $2 and delivery_id = any (array(select delivery_id from gone))
), ended as (
  delete from outcomes
   where day = $2 and delivery_id = any (array(select delivery_id from gone))
)
delete from seen_events where day = $2 and user_id = $1`;
