import { deleteDeadLetters } from '@junction/messaging';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type {
  DeletedUserRows,
  DeletedUserWithRows,
  UserTable,
} from '../../../application/privacy/ports.js';
import { tryLock } from '../locks.js';
import { statement } from '../statement.js';
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
    await insertDeletion(tx, { user_id: userId });
    await vault.shred(userId, tx);
  },

  async deleteDay(userId, day) {
    if (!(await tryLock(tx, `delete/${userId}/${day}`))) return false;

    // A user may have a million rows of one day, and they have to go.
    await tx.query(`set local statement_timeout = '10min'`);
    await deleteDay(tx, { user_id: userId, day });
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
const deleteDay = statement(
  null,
  `
with gone as (
  delete from deliveries where day = :day and user_id = :user_id returning delivery_id
), waiting as (
  delete from pending where delivery_id = any (array(select delivery_id from gone))
), attempted as (
  delete from attempts
   where day = :day and delivery_id = any (array(select delivery_id from gone))
), ended as (
  delete from outcomes
   where day = :day and delivery_id = any (array(select delivery_id from gone))
)
delete from seen_events where day = :day and user_id = :user_id`,
);

const insertDeletion = statement(
  null,
  'insert into user_deletions (user_id) values (:user_id) on conflict do nothing',
);

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
    for (const deleteRows of deletions) await deleteRows(pool, { user_id: userId });
  },

  async end(userId) {
    await deleteDeletion(pool, { user_id: userId });
  },
});

const deletions = USER_TABLES.map((table) =>
  statement(null, `delete from ${table} where user_id = :user_id`),
);

const deleteDeletion = statement(null, 'delete from user_deletions where user_id = :user_id');
