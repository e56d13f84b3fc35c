import type pg from 'pg';
import type { Meter } from '../../process/index.js';

/** Registers how the connections of these pools are used, by the names they have here. */
export function measurePools(meter: Meter, pools: Readonly<Record<string, pg.Pool>>): void {
  const all = Object.entries(pools);
  meter.gauge(
    'junction_postgres_connections',
    'Connections of a pool to Postgres that are open, in use or idle.',
    ['pool', 'state'],
    () =>
      all.flatMap(([pool, { totalCount, idleCount }]) => [
        { value: totalCount - idleCount, labels: { pool, state: 'in_use' } },
        { value: idleCount, labels: { pool, state: 'idle' } },
      ]),
  );
  meter.gauge(
    'junction_postgres_connections_max',
    'Connections that a pool may open: DATABASE_POOL_MAX and what follows from it.',
    ['pool'],
    () => all.map(([pool, { options }]) => ({ value: options.max, labels: { pool } })),
  );
  meter.gauge(
    'junction_postgres_waiting',
    'Callers that wait for a connection of the pool: all are in use, or as many as requests may hold.',
    ['pool'],
    () => all.map(([pool, { waitingCount }]) => ({ value: waitingCount, labels: { pool } })),
  );
}
