import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Platform } from '@junction/service';
import { subjectKeys } from '@junction/vault';
import type pg from 'pg';
import { openSealedRows } from '../adapters/postgres/sealed-rows.js';
import type { ResultWriting } from '../adapters/postgres/sending/write-results.js';
import { postgresUnitOfWork, transactionOn } from '../adapters/postgres/unit-of-work.js';
import { WebhookIndex } from '../adapters/postgres/webhook-index.js';
import type { Config } from '../config.js';
import type { WebhookEvent } from '../domain/webhook/events.js';

export type DispatcherPlatform = Platform<Config, WebhookEvent>;
export type Tables = ReturnType<typeof openTables>;

/** Creates what the reads and writes of this service's tables have in common: keys, index and transactions. */
export function openTables(platform: DispatcherPlatform) {
  const { pool, backgroundPool, innerPool, ring, store, vault, committed, log } = platform;
  const unlock = subjectKeys({ pool: innerPool, ring });
  const onUnreadable = (error: unknown) => log.error({ err: error }, 'a sealed row does not open');
  const owner = `${hostname()}/${process.pid}/${randomUUID()}`;
  const writing: ResultWriting = { owner, unlock, index: new WebhookIndex(innerPool) };
  const common = { store, vault, ring, writing };
  const announced = { ...common, afterCommit: committed };
  return {
    writing,
    onUnreadable,
    openSealed: openSealedRows(unlock, onUnreadable),
    /** Tables within a transaction of the platform's. */
    within: (tx: pg.PoolClient) => transactionOn(tx, common),
    /** Transactions on behalf of owners. */
    unitOfWork: postgresUnitOfWork({ pool, ...announced }),
    /** Transactions of background work. */
    backgroundWork: postgresUnitOfWork({ pool: backgroundPool, ...announced }),
    /** Transactions of background work that appends no event and publishes nothing. */
    quietWork: postgresUnitOfWork({ pool: backgroundPool, ...common }),
  };
}
