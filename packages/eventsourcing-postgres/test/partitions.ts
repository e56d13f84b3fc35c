import type pg from 'pg';
import { maintainEventStore } from '../src/maintain.js';
import * as stored from '../src/open-streams.js';

/** Positions of one partition. */
export const PARTITION_SIZE = Number(stored.PARTITION_SIZE);

/** The next event gets the position after this one. */
export async function moveOnTo(pool: pg.Pool, position: number): Promise<void> {
  await pool.query(`select setval(pg_get_serial_sequence('events', 'position'), $1)`, [position]);
}

/** A partition that is being written and has no events yet. */
export async function freshPartition(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: string }>(
    `select coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'position')::regclass), 0)
              / ${PARTITION_SIZE} + 1 as n`,
  );
  const n = Number(rows[0]?.n);
  await moveOnTo(pool, n * PARTITION_SIZE);
  await maintainEventStore(pool);
  return n;
}

/** The next event comes into the one after it. */
export async function fillPartition(pool: pg.Pool, n: number): Promise<void> {
  await moveOnTo(pool, (n + 1) * PARTITION_SIZE);
  await maintainEventStore(pool);
}

/** Whether a transaction waits for a lock of this table. */
export async function isWaitedFor(pool: pg.Pool, table: string): Promise<boolean> {
  const { rows } = await pool.query<{ waits: boolean }>(
    'select exists (select from pg_locks where not granted and relation = $1::regclass) as waits',
    [table],
  );
  return rows[0]?.waits ?? false;
}
