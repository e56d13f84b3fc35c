import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Event } from '@junction/eventsourcing';
import {
  eventStoreMigrations,
  migrate,
  type ProjectionSet,
  postgresEventStore,
  postgresNotifier,
  rebuildProjection,
  rowProjection,
} from '@junction/eventsourcing-postgres';
import { Closing, healthChecks, logger, metrics } from '@junction/service-kit/process';
import { eventually, useDatabase } from '@junction/testing';
import { keepReadModels } from './read-models.js';

type Knock = Event<'knocked', { loudly: boolean }>;

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

beforeAll(async () => {
  await database().pool.query('create table doors (door_id text primary key, knocks integer)');
});

describe('the projections of a service', () => {
  it('are told of in its metrics; a stopped one degrades it, and it stays ready', async () => {
    const { pool } = database();
    const log = logger('doors', 'silent');
    const closing = new Closing(log);
    const notifier = postgresNotifier({ pool, onError: () => undefined });
    closing.add('notifier', notifier, (notifier) => notifier.close());
    const health = healthChecks();
    const measures = metrics('doors');
    const set = doors(pool, notifier);
    keepReadModels(set, {
      owner: 'doors',
      meter: measures.meter,
      runtime: { log, closing, health },
    });
    try {
      const store = postgresEventStore<Knock>({ pool, codec: set.codec, source: 'junction/doors' });
      const knock = (loudly: boolean) =>
        store.append([
          { streamId: 'door-7', expected: 'any', events: [{ type: 'knocked', data: { loudly } }] },
        ]);
      await knock(false);
      notifier.notify('events');
      await eventually(async () => {
        const text = await measures.registry.metrics();
        expect(text).toContain('projection_lag_events{projection="doors",service="doors"} 0');
        expect(text).toContain(
          'projection_status{projection="doors",status="running",service="doors"} 1',
        );
      });

      await knock(true);
      await knock(false);
      notifier.notify('events');
      await eventually(async () =>
        expect(await health.ready()).toEqual({
          ready: true,
          failing: [],
          degraded: ['projection doors'],
        }),
      );
      const text = await measures.registry.metrics();
      expect(text).toContain('projection_lag_events{projection="doors",service="doors"} 2');
      expect(text).toMatch(/projection_lag_seconds\{[^}]*\} (?!0\n)\d/);
      expect(text).toContain(
        'projection_status{projection="doors",status="stopped",service="doors"} 1',
      );
    } finally {
      await closing.closeAll();
    }
  });
});

it('a rebuild that was left for a day is dropped at the next start', async () => {
  const { pool } = database();
  const log = logger('doors', 'silent');
  const closing = new Closing(log);
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  closing.add('notifier', notifier, (notifier) => notifier.close());
  const set = doors(pool, notifier);
  for await (const _ of rebuildProjection(set, 'doors')) break;
  const isThere = async () =>
    (await pool.query(`select from pg_tables where tablename = 'doors_v2'`)).rowCount === 1;
  expect(await isThere()).toBe(true);
  await pool.query(
    `update projection_checkpoints set updated_at = now() - interval '25 hours' where not live`,
  );
  const { meter } = metrics('doors');
  keepReadModels(set, { owner: 'doors', meter, runtime: { log, closing, health: healthChecks() } });
  try {
    await eventually(async () => expect(await isThere()).toBe(false));
  } finally {
    await closing.closeAll();
  }
});

/** A read model that cannot stand noise. */
const doors = (
  pool: ProjectionSet<Knock>['pool'],
  notifier: ProjectionSet<Knock>['notifier'],
): ProjectionSet<Knock> => ({
  pool,
  notifier,
  codec: {
    versions: { knocked: 1 },
    encode: async (_, { data }) => ({ schemaVersion: 1, data }),
    decode: async (_, { type, data }) => ({ type, data }) as Knock,
  },
  inline: [],
  asynchronous: [
    rowProjection<{ knocks: number }, Knock>({
      table: 'doors',
      key: 'door_id',
      aggregate: 'door',
      evolve(row, { data }) {
        if (data.loudly) throw new Error('Too loud.');
        return { knocks: (row?.knocks ?? 0) + 1 };
      },
    }),
  ],
});
