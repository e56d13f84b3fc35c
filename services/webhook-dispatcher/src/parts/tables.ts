import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { poolUntil } from '@junction/service';
import { logThrottle } from '@junction/service/process';
import { subjectKeys } from '@junction/vault';
import type pg from 'pg';
import { deliveryLog } from '../adapters/postgres/history/delivery-log.js';
import { eventLog } from '../adapters/postgres/history/event-log.js';
import { redactions } from '../adapters/postgres/privacy/redaction-table.js';
import { deletedUserRows } from '../adapters/postgres/privacy/user-rows.js';
import { replays } from '../adapters/postgres/replaying/replays.js';
import { openSealedRows } from '../adapters/postgres/sealed-rows.js';
import { postgresWebhookKeys } from '../adapters/postgres/sending/webhook-keys.js';
import { unsentCounts } from '../adapters/postgres/statistics/unsent-counts.js';
import { webhookHours } from '../adapters/postgres/statistics/webhook-hours.js';
import { postgresUnitOfWork, transactionOn } from '../adapters/postgres/unit-of-work.js';
import { WebhookIndex } from '../adapters/postgres/webhook-index.js';
import { failingReads } from '../adapters/postgres/webhooks/failing-webhooks.js';
import { webhookReads } from '../adapters/postgres/webhooks/webhook-rows.js';
import { sharedReads } from '../application/statistics/shared-reads.js';
import { type DispatcherPlatform, now } from './platform.js';

export type Tables = ReturnType<typeof tablesOn>;

/** Ports that lie in the database, and what its reads and writes have in common: keys and index. */
export function tablesOn(platform: DispatcherPlatform) {
  const { pool, backgroundPool, innerPool, ring, store, vault, log } = platform;
  const afterCommit = platform.committed;
  const unlock = subjectKeys({ pool: innerPool, ring });
  const throttled = logThrottle();
  // With a lost key none of a user's rows opens, and a search looks at thousands.
  const onUnreadable = (error: unknown) =>
    throttled('', (suppressed) =>
      log.error({ err: error, suppressed }, 'a sealed row does not open'),
    );
  const openSealed = openSealedRows(unlock, onUnreadable);
  const owner = `${hostname()}/${process.pid}/${randomUUID()}`;
  const writing = { owner, unlock, index: new WebhookIndex(innerPool) };
  const common = { store, vault, ring, writing };
  /** Reads for users, which keep nothing from one to the next. */
  const readsOn = (pool: pg.Pool) => ({
    webhooks: webhookReads({ pool, store, vault, onUnreadable }),
    deliveries: deliveryLog(pool, openSealed),
    events: eventLog(pool),
  });
  return {
    writing,
    onUnreadable,
    openSealed,
    within: (tx: pg.PoolClient) => transactionOn(tx, common),
    unitOfWork: postgresUnitOfWork({ pool, ...common, afterCommit }),
    backgroundWork: postgresUnitOfWork({ pool: backgroundPool, ...common, afterCommit }),
    quietWork: postgresUnitOfWork({ pool: backgroundPool, ...common }),
    ...readsOn(pool),
    readsUntil: (signal: AbortSignal) => readsOn(poolUntil(pool, signal)),
    webhookKeyStore: postgresWebhookKeys(pool, ring),
    failing: failingReads(pool),
    replays: replays(pool),
    redactions: redactions(pool),
    deletedUserRows: deletedUserRows(pool),
    // All who ask together share one read, which none of them ends for the others.
    statistics: sharedReads({ ...webhookHours(pool), ...unsentCounts(pool) }, now),
  };
}
