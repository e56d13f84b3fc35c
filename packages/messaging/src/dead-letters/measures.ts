import type pg from 'pg';
import { UNDECODABLE } from '../consumer/undecodable.js';
import type { Meter } from '../meter.js';

/** Registers how many dead letters wait for an operator in this database. */
export function measureDeadLetters(meter: Meter, pool: pg.Pool): void {
  const samples = async (part: 'count' | 'undecodable') =>
    (await openDeadLetters(pool))
      .map(({ consumer, topic, [part]: value }) => ({ value, labels: { consumer, topic } }))
      .filter(({ value }) => value > 0);
  meter.gauge(
    'junction_dead_letters_open',
    'Dead letters that were neither redriven nor dropped.',
    ['consumer', 'topic'],
    async () => samples('count'),
  );
  meter.gauge(
    'junction_undecodable_batches_open',
    'Batches of Kafka that could not be decoded and that nobody has dropped.',
    ['consumer', 'topic'],
    async () => samples('undecodable'),
  );
}

/** Dead letters of a consumer about which nobody has decided. */
export interface OpenDeadLetters {
  readonly consumer: string;
  readonly topic: string;
  readonly count: number;
  /** Number of those that each stand for a batch of Kafka that could not be decoded. */
  readonly undecodable: number;
}

/** Counts the dead letters that wait for an operator. */
export async function openDeadLetters(pool: pg.Pool): Promise<readonly OpenDeadLetters[]> {
  const { rows } = await pool.query<OpenDeadLetters>(
    `select consumer, topic, count(*)::int, (count(*) filter (where reason_code = $1))::int as undecodable
       from dead_letters where resolved_at is null group by 1, 2 order by 1, 2`,
    [UNDECODABLE],
  );
  return rows;
}
