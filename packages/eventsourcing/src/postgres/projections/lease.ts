import type pg from 'pg';
import { type LeaseTable, leaseTable } from '../leases/index.js';

/** Returns the leases by projection name: the right to rebuild a projection, or to delete its rebuild. */
export const rebuildLeases = (pool: pg.Pool, expiryMs?: number): LeaseTable<string> =>
  leaseTable({ pool, table: 'projection_leases', key: 'name', keyType: 'text', expiryMs });
