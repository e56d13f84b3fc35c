import { randomUUID } from 'node:crypto';
import { eventually } from '@junction/testing';
import type pg from 'pg';
import {
  eventStoreMigrations,
  migrate,
  type PostgresEventStore,
  postgresEventStore,
} from '../src/postgres/index.js';
import type { PostgresEventStoreOptions } from '../src/postgres/store/event-store.js';
import { type Counted, counted, countedCodec } from '../src/testing.js';

/** The schema for `useDatabase`: an event store. */
export const eventStoreDatabase = {
  template: 'eventsourcing',
  migrate: (url: string) => migrate(url, eventStoreMigrations),
};

/** Opens a store of counter streams, for tests that check the order of events, not their content. */
export const counterStore = (
  pool: pg.Pool,
  options: Partial<PostgresEventStoreOptions<Counted>> = {},
): PostgresEventStore<Counted> =>
  postgresEventStore<Counted>({ pool, codec: countedCodec, source: 'junction/test', ...options });

export const newCounter = (): string => `counter-${randomUUID()}`;

/** Returns an append of so many events to a stream, whatever its version. */
export const counts = (streamId: string, count = 1) => {
  const events = Array.from({ length: count }, (_, n) => counted(n));
  return { streamId, expected: 'any', events } as const;
};

/** Returns an append that begins a stream with one event. */
export const begins = (streamId: string, n = 1) =>
  ({ streamId, expected: 'none', events: [counted(n)] }) as const;

/**
 * Returns the pid of a backend that waits for a lock of this transaction; polls until there is one. A transaction sees
 * no backend in pg_stat_activity that came after its first look, so the locks are asked.
 */
export const untilBlockedBy = (tx: pg.ClientBase): Promise<number> =>
  eventually(async () => {
    const { rows } = await tx.query<{ pid: number }>(
      `select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
    );
    const [waiting] = rows;
    if (!waiting) throw new Error('Nobody waits for this transaction.');
    return waiting.pid;
  });
