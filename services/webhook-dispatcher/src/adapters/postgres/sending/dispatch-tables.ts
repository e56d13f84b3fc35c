import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { DispatchOptions } from '../../../application/sending/ports.js';
import type { OpenSealed } from '../sealed-rows.js';
import { dueInTurns, dueOf, dueWork } from './due-work.js';
import { orderedWork } from './ordered-work.js';
import { changedWebhooks, loadTargets } from './targets.js';

/** Makes the reads of deliveries and webhooks for the dispatcher. */
export const dispatchTables = (
  pool: pg.Pool,
  vault: Vault,
  openSealed: OpenSealed,
  onUnreadable: (error: unknown) => void,
) =>
  ({
    readDue: dueWork(pool, openSealed),
    readInTurns: dueInTurns(pool, openSealed),
    readOf: dueOf(pool, openSealed),
    readOrdered: orderedWork(pool, openSealed),
    changedWebhooks: changedWebhooks(pool),
    loadTargets: loadTargets(pool, vault, onUnreadable),
  }) satisfies Partial<DispatchOptions>;
