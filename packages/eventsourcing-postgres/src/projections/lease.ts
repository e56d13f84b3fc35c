import { type LeaseTable, leaseTable } from '@junction/leases';
import type pg from 'pg';

/** Returns the leases by projection name: the right to rebuild a projection, or to delete its rebuild. */
export const rebuildLeases = (pool: pg.Pool, expiryMs?: number): LeaseTable<string> =>
  leaseTable({ pool, table: 'projection_leases', key: 'name', keyType: 'text', expiryMs });
