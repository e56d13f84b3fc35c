import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { counterStore, counts, newCounter } from '../../test/counters.js';
import { moveOnTo, PARTITION_SIZE } from '../../test/partitions.js';
import { eventStoreMigrations } from '../migrations/index.js';
import { migrate } from '../migrations/migrate.js';
import { inTransaction } from '../transaction.js';
import { maintainEventStore } from './maintain.js';

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

describe('maintenance of the event store', () => {
  it('makes partitions two ahead, once, however many do it, while others append', async () => {
    const { pool } = database();
    expect(await maintainEventStore(pool)).toMatchObject({ partitions: [] });
    await moveOnTo(pool, PARTITION_SIZE + 5);

    await inTransaction(pool, async (tx) => {
      await store()
        .within(tx)
        .append([counts(newCounter())]);
      const turns = await Promise.all([1, 2, 3].map(() => maintainEventStore(pool)));
      expect(turns.flatMap(({ partitions }) => partitions)).toEqual(['events_p3']);
    });
    await moveOnTo(pool, 4 * PARTITION_SIZE - 1);
    expect(await maintainEventStore(pool)).toMatchObject({
      partitions: ['events_p4', 'events_p5'],
    });
    const { events } = await store().append([counts(newCounter(), 2)]);
    expect(events.map(({ position }) => position)).toEqual([40_000_000n, 40_000_001n]);
  });

  it('forgets command ids after 30 days, and only then', async () => {
    const { pool } = database();
    const [old, young] = [randomUUID(), randomUUID()];
    for (const [id, days] of [
      [old, 31],
      [young, 29],
    ]) {
      await pool.query(`insert into commands values ($1, now() - make_interval(days => $2))`, [
        id,
        days,
      ]);
    }
    await pool.query(
      `insert into commands select gen_random_uuid(), now() - interval '40 days'
         from generate_series(1, 10000)`,
    );
    expect(await maintainEventStore(pool)).toMatchObject({ commands: 10_001 });
    const { rows } = await pool.query(
      'select command_id from commands where command_id = any($1)',
      [[old, young]],
    );
    expect(rows).toEqual([{ command_id: young }]);
  });
});

const store = () => counterStore(database().pool);
