import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Platform, poolUntil } from '@junction/service';
import { logThrottle } from '@junction/service/process';
import { subjectKeys } from '@junction/vault';
import type pg from 'pg';
import { sharedReads } from '../../application/statistics/shared-reads.js';
import type { Config } from '../../config.js';
import type { WebhookEvent } from '../../domain/webhook/events.js';
import { deliveryLog } from './history/delivery-log.js';
import { eventLog } from './history/event-log.js';
import { redactions } from './privacy/redaction-table.js';
import { deletedUserRows } from './privacy/user-rows.js';
import { replays } from './replaying/replays.js';
import { openSealedRows } from './sealed-rows.js';
import { postgresWebhookKeys } from './sending/webhook-keys.js';
import { pauseTable } from './sending-pauses.js';
import { unsentCounts } from './statistics/unsent-counts.js';
import { webhookHours } from './statistics/webhook-hours.js';
import { postgresUnitOfWork, transactionOn } from './unit-of-work.js';
import { WebhookIndex } from './webhook-index.js';
import { failingReads } from './webhooks/failing-webhooks.js';
import { webhookReads } from './webhooks/webhook-rows.js';

/** Ports that lie in the database, and what its reads and writes have in common: keys and index. */
export function tablesOn(platform: Platform<Config, WebhookEvent>) {
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
  /** Reads of what users see, which keep nothing from one to the next. */
  const readsOn = (pool: pg.Pool) => ({
    webhooks: webhookReads({ pool, store, vault, onUnreadable }),
    deliveries: deliveryLog(pool, openSealed),
    events: eventLog(pool),
  });
  return {
    writing,
    onUnreadable,
    openSealed,
    /** Tables within a transaction of others. */
    within: (tx: pg.PoolClient) => transactionOn(tx, common),
    unitOfWork: postgresUnitOfWork({ pool, ...common, afterCommit }),
    backgroundWork: postgresUnitOfWork({ pool: backgroundPool, ...common, afterCommit }),
    /** Transactions of background work that appends no event and publishes nothing. */
    quietWork: postgresUnitOfWork({ pool: backgroundPool, ...common }),
    ...readsOn(pool),
    /** Makes reads that end when the signal aborts, in the database too. */
    readsUntil: (signal: AbortSignal) => readsOn(poolUntil(pool, signal)),
    webhookKeyStore: postgresWebhookKeys(pool, ring),
    failing: failingReads(pool),
    replays: replays(pool),
    redactions: redactions(pool),
    pauses: pauseTable(pool),
    deletedUserRows: deletedUserRows(pool),
    // All who ask together share one read, which none of them ends for the others.
    statistics: sharedReads({ ...webhookHours(pool), ...unsentCounts(pool) }, () => new Date()),
  };
}
