import { finishRestore, type Migration, refuseForeign } from '@junction/eventsourcing/postgres';
import type { Logger } from '../../process/index.js';
import { ownerOf } from './owner-of.js';
import { MAINTENANCE_STATEMENT_MS, postgresPool } from './pool.js';

/**
 * Runs the command `finish-restore` of a service on the event store: makes a database that was restored into another
 * cluster fit to go on. Does nothing when that is not needed.
 *
 * @throws ForeignDatabaseError when the database is not the service's
 */
export async function finishRestoreOf(
  { name, migrations }: { readonly name: string; readonly migrations: readonly Migration[] },
  databaseUrl: string,
  log: Logger,
): Promise<void> {
  const statementTimeoutMs = MAINTENANCE_STATEMENT_MS;
  const pool = postgresPool(databaseUrl, {
    name: `${name} restore`,
    max: 1,
    log,
    statementTimeoutMs,
  });
  try {
    await refuseForeign(pool, ownerOf(name), migrations);
    const did = await finishRestore(pool);
    log.info({ result: did ? 'rebased' : 'nothing to do' }, 'the restore is finished');
  } finally {
    await pool.end();
  }
}
