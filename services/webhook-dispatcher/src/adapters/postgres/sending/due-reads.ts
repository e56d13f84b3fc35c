import type pg from 'pg';
import type { DueReads } from '../../../application/sending/due-work.js';
import type { OpenSealed } from '../sealed-rows.js';
import { dueWork, lookAgain } from './due-work.js';
import { orderedWork } from './ordered-work.js';

/** Reads of what is due. */
export const dueReads = (
  pool: pg.Pool,
  openSealed: OpenSealed,
): Omit<DueReads, 'changedWebhooks'> => ({
  readDue: dueWork(pool, openSealed),
  lookAgain: lookAgain(pool),
  readOrdered: orderedWork(pool, openSealed),
});
