import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type Counted, countedCodec } from '@junction/eventsourcing/testing';
import { eventually, useDatabase } from '@junction/testing';
import { postgresEventStore } from './event-store.js';
import { migrate } from './migrate.js';
import { eventStoreMigrations } from './migrations/index.js';
import { lastReadable } from './readable-end.js';

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

it('is the last event by its numbers, found by an index', async () => {
  const { pool } = database();
  expect(await lastReadable(pool)).toBeUndefined();

  // Positions of one and of two digits: as texts, 9 would come after 12.
  const events = Array.from({ length: 12 }, (): Counted => ({ type: 'counted', data: { n: 1 } }));
  const store = postgresEventStore<Counted>({ pool, codec: countedCodec, source: 'junction/test' });
  const appended = await store.append([
    { streamId: `counter-${randomUUID()}`, expected: 'any', events },
  ]);
  const { tx, position } = appended.events.at(-1) ?? {};
  expect(position).toBe(12n);
  // A transaction of another test holds it back until it ends.
  await eventually(async () => expect(await lastReadable(pool)).toEqual({ tx, position }));

  const texts: string[] = [];
  await lastReadable({
    query: async (config) => {
      texts.push(config.text);
      return pool.query<never>(config);
    },
  });
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${texts[0]}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/-> {2}Index Only Scan Backward using events_p\d+_tx_position_idx/);
  expect(plan).not.toMatch(/-> {2}Sort/);
});
