import { poolUntil } from '@junction/service';
import type pg from 'pg';
import { postgresAuthorizations } from '../adapters/postgres/connecting/authorizations.js';
import { postgresConnections } from '../adapters/postgres/connections/connections.js';
import { postgresChecks } from '../adapters/postgres/ending/checks.js';
import { postgresRevocations } from '../adapters/postgres/ending/revocations.js';
import { postgresHistory } from '../adapters/postgres/history/history.js';
import { refreshQueue } from '../adapters/postgres/refreshing/due-refreshes.js';
import {
  postgresLeases,
  type RefreshLeasesOptions,
} from '../adapters/postgres/refreshing/refresh-leases.js';
import { postgresUnitOfWork, type UnitOfWorkOptions } from '../adapters/postgres/unit-of-work.js';
import { currentConnections } from '../adapters/postgres/vending/current-connections.js';

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
