import { postgresAuthorizations } from '../adapters/postgres/connecting/authorizations.js';
import { postgresConnections } from '../adapters/postgres/connections/connections.js';
import { postgresChecks } from '../adapters/postgres/ending/checks.js';
import { postgresRevocations } from '../adapters/postgres/ending/revocations.js';
import { postgresHistory } from '../adapters/postgres/history/history.js';
import { refreshQueue } from '../adapters/postgres/refreshing/due-refreshes.js';
import { postgresLeases } from '../adapters/postgres/refreshing/refresh-leases.js';
import { postgresUnitOfWork, type UnitOfWorkOptions } from '../adapters/postgres/unit-of-work.js';
import { currentConnections } from '../adapters/postgres/vending/current-connections.js';

/** Ports that lie in the database: the unit of work, and what reads or writes by a single statement. */
export const tablesOn = (options: UnitOfWorkOptions) => {
  const { pool, store, vault, ring } = options;
  return {
    unitOfWork: postgresUnitOfWork(options),
    connections: postgresConnections(pool),
    currentConnections: currentConnections(pool, vault),
    history: postgresHistory(pool, store),
    authorizations: postgresAuthorizations(pool, ring),
    leases: postgresLeases(options),
    dueRefreshes: refreshQueue(pool),
    revocations: postgresRevocations(pool, ring),
    checks: postgresChecks(options),
  };
};
