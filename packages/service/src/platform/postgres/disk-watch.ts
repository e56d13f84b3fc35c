import type { Logger } from '../../process/index.js';

/** SQLSTATE disk_full. */
export const DISK_FULL = '53100';

// Half a megabyte of rows that may not stay in memory goes through a temporary file, on the disk where this
// database would put a new page: no table is touched, and the file is gone with the statement.
const SPILL = `
set local work_mem = '64kB';
select count(*) from generate_series(1, 50000)`;

/** Writes half a megabyte as a temporary file, and rejects where there is no room for it. Leaves nothing behind. */
export const writeSpill = async (pool: Writing): Promise<unknown> => pool.query(SPILL);

/** Pool, as far as the watch writes with it. */
interface Writing {
  query(text: string): Promise<unknown>;
}

/** Knowledge about the disk of a service's database. */
export interface DiskWatch {
  /** Notes that the disk is full: a statement of this pool was refused. */
  full(pool: Writing): void;
  /** Tells whether there is room, as far as is known. Rejects while the disk is full. */
  hasRoom(): Promise<boolean>;
}

/**
 * Watches the disk of a database. Reads never show that a disk is full, so the first refused statement has to tell.
 * Only from then on does `hasRoom` write half a megabyte, until that succeeds once: a database that has room gets no
 * such writes.
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
      await writeSpill(refused);
      refused = undefined;
      log.info({}, 'the disk of the database has room again');
      return true;
    },
  };
}
