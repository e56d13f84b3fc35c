import type pg from 'pg';
import type { DueReads } from '../../../application/sending/due-work.js';
import type { OpenSealed } from '../sealed-rows.js';
import { dueInTurns, dueOf, dueWork } from './due-work.js';
import { orderedWork } from './ordered-work.js';

/** Reads of what is due. */
export const dueReads = (
  pool: pg.Pool,
  openSealed: OpenSealed,
): Omit<DueReads, 'changedWebhooks'> => ({
  readDue: dueWork(pool, openSealed),
  readInTurns: dueInTurns(pool, openSealed),
  readOf: dueOf(pool, openSealed),
  readOrdered: orderedWork(pool, openSealed),
});
