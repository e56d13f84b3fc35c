import { leaseTable, members } from '@junction/eventsourcing/leases';
import type pg from 'pg';
import type { DispatchOptions } from '../../../application/sending/ports.js';
import type { Reading } from '../../../application/sending/shard-shares.js';

/** Makes the tables that say which replica sends for which shards, and which replicas live. */
export const shardLeases = (pool: pg.Pool, owner: string) =>
  ({
    owner,
    shardLeases: leaseTable<number>({
      pool,
      owner,
      table: 'shard_leases',
      key: 'shard',
      keyType: 'smallint',
    }),
    replicas: members<Reading>({ pool, owner, table: 'replicas' }),
  }) satisfies Partial<DispatchOptions>;
