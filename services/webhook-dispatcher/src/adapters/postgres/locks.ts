import type { Queryable } from '@junction/eventsourcing/postgres';
import { statement } from './statement.js';

/** Waits for the lock of this name, which is held until the end of the transaction. */
export const lock = async (tx: Queryable, name: string): Promise<void> =>
  void (await waitForLock(tx, { name }));

/** Takes the lock of this name until the end of the transaction. False: another transaction holds it. */
export const tryLock = async (tx: Queryable, name: string): Promise<boolean> =>
  (await takeLock(tx, { name })).rows[0]?.ours === true;

const waitForLock = statement(
  'wait_for_lock',
  'select pg_advisory_xact_lock(hashtextextended(:name, 0))',
);

const takeLock = statement<{ ours: boolean }>(
  'take_lock',
  'select pg_try_advisory_xact_lock(hashtextextended(:name, 0)) as ours',
);
