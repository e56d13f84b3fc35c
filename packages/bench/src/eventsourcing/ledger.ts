import { randomUUID } from 'node:crypto';
import { type Event, jsonCodec, schema } from '@junction/eventsourcing';
import type { Publish } from '@junction/eventsourcing/postgres';
import pg from 'pg';
import { z } from 'zod';

/** The event of these suites: some 120 bytes as JSON. */
export type Booked = Event<'booked', { account: string; amount: number; text: string }>;

const booking = z.object({ account: z.string(), amount: z.number(), text: z.string() });
export const ledgerCodec = jsonCodec<Booked>({ booked: schema(booking.parse) });

export const booked = (): Booked => ({
  type: 'booked',
  data: { account: randomUUID(), amount: 4_711, text: 'For the printing of the minutes' },
});

/** Publishes one record to the domain topic for each event. */
export const publishTo =
  (topic: string): Publish<Booked> =>
  ({ type, data }, { streamId }) => ({
    topic,
    key: streamId,
    type,
    subject: data.account,
    payload: Buffer.from(JSON.stringify(data)),
    sequenced: true,
  });

export const newAccount = (): string => `account-${randomUUID()}`;

/** Runs work with a pool that is closed after it. */
export async function withPool<T>(
  connectionString: string,
  max: number,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ connectionString, max, pipeline: true });
  pool.on('error', () => undefined); // the query that meets it rejects
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
