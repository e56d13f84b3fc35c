import type pg from 'pg';
import type { Meter } from '../meter.js';

/** Registers how many dead letters wait for an operator in this database. */
export function measureDeadLetters(meter: Meter, pool: pg.Pool): void {
  meter.gauge(
    'junction_dead_letters_open',
    'Dead letters that were neither redriven nor dropped.',
    ['consumer', 'topic'],
    async () => {
      const { rows } = await pool.query<Row>(
        `select consumer, topic, count(*)::int as n
           from dead_letters where resolved_at is null group by 1, 2`,
      );
      return rows.map(({ consumer, topic, n }) => ({ value: n, labels: { consumer, topic } }));
    },
  );
}

interface Row {
  readonly consumer: string;
  readonly topic: string;
  readonly n: number;
}
