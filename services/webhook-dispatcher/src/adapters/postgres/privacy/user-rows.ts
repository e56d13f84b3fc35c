import { deleteDeadLetters } from '@junction/messaging';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type {
  DeletedUserRows,
  DeletedUserWithRows,
  UserTable,
} from '../../../application/privacy/ports.js';
import { daysOfDeliveries } from './days-of-deliveries.js';

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

/** Makes the table of users, within a transaction. */
export const userTable = (tx: pg.PoolClient, vault: Vault): UserTable => ({
  async delete(userId) {
    await tx.query('insert into user_deletions (user_id) values ($1) on conflict do nothing', [
      userId,
    ]);
    await vault.shred(userId, tx);
  },

  async deleteDay(userId, day) {
    const { rows } = await tx.query<{ ours: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as ours',
      [`delete/${userId}/${day}`],
    );
    if (rows[0]?.ours !== true) return false;

    // A user may have a million rows of one day, and they have to go.
    await tx.query(`set local statement_timeout = '10min'`);
    await tx.query(DELETE_DAY, [userId, day]);
    return true;
  },

  async deleteDeadLetters(userId) {
    await deleteDeadLetters(tx, userId);
  },
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

/** Makes the reads and deletions of rows of deleted users that need no transaction. */
export const deletedUserRows = (pool: pg.Pool): DeletedUserRows => ({
  async users() {
    const { rows } = await pool.query<DeletedUserWithRows>(
      `select user_id as "userId", requested_at < now() - ${REPEAT_FOR} as "isLast"
         from user_deletions order by requested_at limit ${USERS_MAX}`,
    );
    return rows;
  },

  days: () => daysOfDeliveries(pool),

  async deleteRest(userId) {
    for (const table of USER_TABLES) {
      await pool.query(`delete from ${table} where user_id = $1`, [userId]);
    }
  },

  async end(userId) {
    await pool.query('delete from user_deletions where user_id = $1', [userId]);
  },
});
