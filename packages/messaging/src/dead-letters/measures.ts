import type pg from 'pg';
import { UNDECODABLE } from '../consumer/undecodable.js';
import type { Meter } from '../meter.js';

/** Registers how many dead letters wait for an operator in this database. */
export function measureDeadLetters(meter: Meter, pool: pg.Pool): void {
  meter.gauge(
    'junction_dead_letters_open',
    'Dead letters that were neither redriven nor dropped.',
    ['consumer', 'topic'],
    async () => samples(await openLetters(pool)),
  );
  meter.gauge(
    'junction_undecodable_batches_open',
    'Batches of Kafka that could not be decoded and that nobody has dropped.',
    ['consumer', 'topic'],
    async () => samples(await undecodableBatches(pool)),
  );
}

interface OpenLetters {
  readonly consumer: string;
  readonly topic: string;
  readonly count: number;
}

/** Returns the batches that could not be decoded, by their dead letters, and about which nobody has decided. */
export const undecodableBatches = (pool: pg.Pool): Promise<readonly OpenLetters[]> =>
  openLetters(pool, UNDECODABLE);

async function openLetters(pool: pg.Pool, reason?: string): Promise<readonly OpenLetters[]> {
  const { rows } = await pool.query<OpenLetters>(
    `select consumer, topic, count(*)::int from dead_letters
      where resolved_at is null and ($1::text is null or reason_code = $1) group by 1, 2`,
    [reason ?? null],
  );
  return rows;
}

const samples = (letters: readonly OpenLetters[]) =>
  letters.map(({ consumer, topic, count }) => ({ value: count, labels: { consumer, topic } }));
