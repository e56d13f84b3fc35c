import { retry } from '@junction/async';
import { AppError, isOutage } from '@junction/errors';
import { longWaits, type Migration, migrate, type Owner } from '@junction/eventsourcing/postgres';
import { DatabaseError, type Pool } from 'pg';
import type { Logger } from '../../process/index.js';

type Warning = Pick<Logger, 'warn'>;

/**
 * Brings a database up to date as soon as it can be reached, however long that takes, and returns the names of the
 * migrations that ran. The log says what is waited for.
 *
 * @throws ForeignDatabaseError when it is not the owner's
 */
export async function migrateWhenThere(
  databaseUrl: string,
  migrations: readonly Migration[],
  owner: Owner,
  log: Warning,
): Promise<readonly string[]> {
  const onWait = (reason: string) => warn(log, reason, 'migrate waits');
  return retry(() => migrate(databaseUrl, migrations, { owner, onWait }), {
    isRetryable: (error) => isOutage(error) || isNotMadeYet(error),
    onFailure(error) {
      if (isNotMadeYet(error)) warn(log, error.message, 'migrate waits for Postgres');
      else log.warn({ err: error }, 'migrate waits for Postgres');
    },
  });
}

/** SQLSTATEs of a role that is not let in and of a database that is not there, for which services wait as well. */
const isNotMadeYet = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && /^(28...|3D000)$/.test(error.code ?? '');

/** Returns a job that logs commits that wait for a standby: each hangs, and nothing else tells why. */
export const watchCommits = (pool: Pool, log: Warning) => async (): Promise<void> => {
  const waits = await longWaits(pool);
  const commit = waits.find(({ event }) => event === 'SyncRep');
  if (commit) warn(log, commit.reason, 'commits wait');
};

/** Warns as of an outage: the log says once that it began, and how long it lasted. */
const warn = (log: Warning, reason: string, message: string): void => {
  const err = new AppError({ kind: 'unavailable', code: 'Postgres' }, reason);
  log.warn({ err }, message);
};
