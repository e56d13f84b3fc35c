import { remembered } from '@junction/async';
import type pg from 'pg';
import type { Meter } from '../meter.js';
import { type Backlog, COUNTED_MAX, outboxBacklog } from './backlog.js';

/**
 * Milliseconds that an answer is kept, so that scrapes of one moment, and the two gauges of one scrape, use the same
 * one.
 */
const FRESH_MS = 1_000;
const BATCH_ROWS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Registers the measures of a relay. Call the returned function with the number of rows of each batch. */
export function measureRelay(
  meter: Meter,
  pool: pg.Pool,
  relay: { healthy(): boolean; lanes(): readonly number[] },
): (rows: number) => void {
  const backlog = remembered(FRESH_MS, () => outboxBacklog(pool));
  const gauge = (name: string, help: string, read: (backlog: Backlog) => number): void =>
    meter.gauge(name, help, [], async () => [{ value: read(await backlog()) }]);

  gauge(
    'junction_outbox_rows',
    `Rows of the outbox that Kafka does not have yet, at most ${COUNTED_MAX}.`,
    ({ rows }) => rows,
  );
  gauge(
    'junction_outbox_oldest_row_age_seconds',
    'Time for which the oldest row of the outbox has waited.',
    ({ oldestAgeS }) => oldestAgeS,
  );
  meter.gauge(
    'junction_outbox_relay_lanes',
    'Lanes of the outbox that this process sends.',
    [],
    () => [{ value: relay.lanes().length }],
  );
  meter.gauge(
    'junction_outbox_relay_up',
    '1 while the relay holds a valid lease and could send the last time it tried.',
    [],
    () => [{ value: relay.healthy() ? 1 : 0 }],
  );
  return meter.histogram(
    'junction_outbox_batch_rows',
    'Rows sent to Kafka in one batch.',
    BATCH_ROWS,
  );
}
