import { poolUntil } from '@junction/service';
import type pg from 'pg';
import { postgresAuthorizations } from './connecting/authorizations.js';
import { postgresConnections } from './connections/connections.js';
import { postgresChecks } from './ending/checks.js';
import { postgresRevocations } from './ending/revocations.js';
import { postgresHistory } from './history/history.js';
import { refreshQueue } from './refreshing/due-refreshes.js';
import { postgresLeases, type RefreshLeasesOptions } from './refreshing/refresh-leases.js';
import { postgresUnitOfWork, type UnitOfWorkOptions } from './unit-of-work.js';
import { currentConnections } from './vending/current-connections.js';

/** Ports that lie in the database: the unit of work, and what reads or writes by a single statement. */
export const tablesOn = (options: UnitOfWorkOptions & RefreshLeasesOptions) => {
  const { pool, store, vault, ring } = options;
  const readsOn = (pool: pg.Pool) => ({
    connections: postgresConnections(pool),
    history: postgresHistory(pool, store),
  });
  return {
    unitOfWork: postgresUnitOfWork(options),
    ...readsOn(pool),
    readsUntil: (signal: AbortSignal) => readsOn(poolUntil(pool, signal)),
    currentConnections: currentConnections(pool, vault),
    authorizations: postgresAuthorizations(pool, ring),
    leases: postgresLeases(options),
    dueRefreshes: refreshQueue(pool),
    revocations: postgresRevocations(pool, ring),
    checks: postgresChecks(options),
  };
};
