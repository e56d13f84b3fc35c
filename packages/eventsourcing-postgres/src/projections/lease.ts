import { type LeaseTable, leaseTable } from '@junction/leases';
import type pg from 'pg';

/** The right to rebuild a projection, or to delete its rebuild, by the name of the projection. */
export const rebuildLeases = (pool: pg.Pool, expiryMs?: number): LeaseTable<string> =>
  leaseTable({ pool, table: 'projection_leases', key: 'name', keyType: 'text', expiryMs });
