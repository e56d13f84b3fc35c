import type { Logger } from '@junction/service-kit/process';

/** SQLSTATE disk_full. */
export const DISK_FULL = '53100';

// Half a megabyte of rows that may not stay in memory goes through a temporary file, on the disk where this
// database would put a new page: no table is touched, and the file is gone with the statement.
const SPILL = `
set local work_mem = '64kB';
select count(*) from generate_series(1, 50000)`;

/** A pool. */
interface Writing {
  query(text: string): Promise<unknown>;
}

/** What is known of the disk of a service's database. */
export interface DiskWatch {
  /** A statement of this pool was refused: the disk is full. */
  full(pool: Writing): void;
  /** Whether there is room, as far as is known. Rejects while it is full. */
  hasRoom(): Promise<boolean>;
}

/**
 * A full disk shows in nothing that is only read, so it is learnt from the first statement that is refused.
 * Only from then on does `hasRoom` have half a megabyte written, until that succeeds once: a database that
 * has room is written nothing to.
 */
export function diskWatch(log: Pick<Logger, 'error' | 'info'>): DiskWatch {
  let refused: Writing | undefined;

  return {
    full(pool) {
      if (!refused)
        log.error({}, 'the disk of the database is full: not ready until there is room');
      refused = pool;
    },

    async hasRoom() {
      if (!refused) return true;
      await refused.query(SPILL);
      refused = undefined;
      log.info({}, 'the disk of the database has room again');
      return true;
    },
  };
}
