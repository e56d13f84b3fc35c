import { deleteDeadLetters } from '@junction/messaging';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { tryLock } from '../locks.js';
import { all, some, statement, table } from '../statement.js';
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
  'sending_pauses',
] as const;

/** Users, within a transaction. */
export const userTable = (tx: pg.PoolClient, vault: Vault) => ({
  /** Shreds the user's key, and has the rows that it sealed deleted in the background. */
  async delete(userId: string) {
    await insertDeletion(tx, { userId });
    await vault.shred(userId, tx);
  },

  /** Deletes what was filed for the user on that day. Returns false while another replica does so. */
  async deleteDay(userId: string, day: string) {
    if (!(await tryLock(tx, `delete/${userId}/${day}`))) return false;

    // A user may have a million rows of one day, and they have to go.
    await tx.query(`set local statement_timeout = '10min'`);
    await deleteDay(tx, { userId, day });
    return true;
  },

  /** Deletes records of the user that broke a rule: their payload may speak of the user all the same. */
  deleteDeadLetters: async (userId: string) => deleteDeadLetters(tx, userId),
});

/**
 * The deliveries of a day have no index by user: they are read once, and what belongs to them is found by its keys.
 * As of one moment: of what is filed meanwhile nothing goes without the rest.
 */
const deleteDay = statement(
  null,
  `
with gone as (
  delete from deliveries where day = :day and user_id = :userId returning delivery_id
), waiting as (
  delete from pending where delivery_id = any (array(select delivery_id from gone))
), attempted as (
  delete from attempts
   where day = :day and delivery_id = any (array(select delivery_id from gone))
), ended as (
  delete from outcomes
   where day = :day and delivery_id = any (array(select delivery_id from gone))
)
delete from seen_events where day = :day and user_id = :userId`,
);

const insertDeletion = some<{ userId: string }>(
  null,
  'insert into user_deletions (user_id) values (:userId) on conflict do nothing',
);

type DeletedUserWithRows = {
  readonly userId: string;
  /** No attempt that was under way when the user was deleted can write its result any more. */
  readonly isLast: boolean;
};

/** Rows of deleted users, outside a transaction. */
export const deletedUserRows = table({
  /** Returns some of the users whose rows are to be deleted, those first who were deleted first. */
  users: all<object, DeletedUserWithRows>(
    null,
    `select user_id as "userId", requested_at < now() - ${REPEAT_FOR} as "isLast"
       from user_deletions order by requested_at limit ${USERS_MAX}`,
  ),

  /** Returns the days (YYYY-MM-DD) that have deliveries, oldest first. */
  days: daysOfDeliveries,

  /** Deletes the user's rows in tables that have no days. */
  async deleteRest(pool: pg.Pool, userId: string) {
    for (const deleteRows of deletions) await deleteRows(pool, { userId });
  },

  /** Notes that all rows of the user are deleted. */
  end: some<{ userId: string }>(null, 'delete from user_deletions where user_id = :userId'),
});

const deletions = USER_TABLES.map((name) =>
  statement(null, `delete from ${name} where user_id = :userId`),
);
