import { repeat } from '@junction/async';
import { purgeRebuilds } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Runtime } from '../../process/index.js';

/** A rebuild that was left keeps what was erased meanwhile for a day and this long. */
const PURGE_EVERY_MS = 3_600_000;

/** Starts the background job that purges, now and every hour, rebuilds of read models left for a day. */
export function startRebuildPurge(
  pool: pg.Pool,
  { log, closing }: Pick<Runtime, 'log' | 'closing'>,
): void {
  const purging = repeat(
    PURGE_EVERY_MS,
    async () => {
      const projections = await purgeRebuilds(pool);
      if (projections.length > 0) log.info({ projections }, 'abandoned rebuilds were purged');
    },
    (error) => log.warn({ err: error }, 'abandoned rebuilds stay for now; it will be tried again'),
  );
  closing.add('purge of rebuilds', purging, () => purging.stop());
  purging.wake();
}
