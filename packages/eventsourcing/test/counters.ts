import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type PostgresEventStore, postgresEventStore } from '../src/postgres/index.js';
import { type Counted, counted, countedCodec } from '../src/testing.js';

/** Opens a store of counter streams, for tests that check the order of events, not their content. */
export const counterStore = (pool: pg.Pool): PostgresEventStore<Counted> =>
  postgresEventStore<Counted>({ pool, codec: countedCodec, source: 'junction/test' });

export const newCounter = (): string => `counter-${randomUUID()}`;

/** Returns an append of so many events to a stream, whatever its version. */
export const counts = (streamId: string, count = 1) => {
  const events = Array.from({ length: count }, (_, n) => counted(n));
  return { streamId, expected: 'any', events } as const;
};
