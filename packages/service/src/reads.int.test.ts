import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { statement } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { Router } from 'express';
import { z } from 'zod';
import { closeOpened } from '../test/loopback.js';
import { openApp } from '../test/open-app.js';
import { moment, query, type Reading, readList, readOne } from './reads.js';

const database = useDatabase();
beforeEach(async () => {
  await database().pool.query(`drop table if exists birds;
    create table birds as select n as id, 'bird ' || n as name, n + 1 as version,
      timestamptz '2026-01-01Z' + n * interval '1 day' as seen_at from generate_series(1, 5) n`);
});
afterEach(closeOpened);

const bird = z.object({ id: z.int(), name: z.string(), seen_at: moment });
const birds = query(
  bird,
  statement('select id, name, seen_at from birds where id > :after order by id limit :limit'),
);
const loudBird = query(
  bird,
  statement<z.input<typeof bird> & { version: number }>('select * from birds where id = :id'),
  ({ id, name, seen_at }) => ({ id, name: name.toUpperCase(), seen_at }),
);
const page = z.strictObject({ after: z.coerce.number().default(0), limit: z.coerce.number() });

/** Serves the reads of birds, recorded by `record`. */
async function open(record: Reading['record'] = async () => {}) {
  const router = Router();
  const reading = { pool: database().pool, record };
  readList(router, reading, {
    id: 'listBirds',
    path: '/birds',
    summary: 'List birds',
    query: page,
    read: birds,
    asks({ query }) {
      const values = query();
      return { values, recorded: values };
    },
    next: ({ id }) => String(id),
  });
  readList(router, reading, {
    id: 'listFirstBirds',
    path: '/first-birds',
    summary: 'List the first birds',
    read: birds,
    asks: () => ({ values: { after: 0, limit: 2 } }),
    member: 'birds',
  });
  readOne(router, reading, {
    id: 'getBird',
    path: '/birds/:id',
    summary: 'Get a bird',
    read: loudBird,
    asks: ({ req }) => ({ values: { id: req.params.id } }),
    missing: () => new AppError('user_not_found', 'There is no such bird.'),
    version: ({ version }) => version,
  });
  const { get } = await openApp([{ through: [], router }]);
  return async (path: string) => {
    const response = await get(path);
    const { status, headers } = response;
    return { status, etag: headers.get('etag'), body: await response.json() };
  };
}

const seen = (id: number) => ({
  id,
  name: `bird ${id}`,
  seen_at: `2026-01-0${id + 1}T00:00:00.000Z`,
});

it('answers a list by pages, of which the last says so, or under its own name', async () => {
  const get = await open();
  const first = await get('/birds?limit=3');
  expect(first.body).toEqual({ items: [1, 2, 3].map(seen), next_cursor: '3' });
  const last = await get('/birds?limit=2&after=3');
  expect(last.body).toEqual({ items: [4, 5].map(seen), next_cursor: null });
  expect((await get('/first-birds')).body).toEqual({ birds: [1, 2].map(seen) });
});

it('answers a single item with an ETag, and a problem where there is none', async () => {
  const get = await open();
  const found = await get('/birds/1');
  expect(found).toMatchObject({ status: 200, body: { ...seen(1), name: 'BIRD 1' } });
  expect(found.etag).toMatch(/^"2-/);
  await database().pool.query(`update birds set name = 'robin'`);
  expect((await get('/birds/1')).etag).not.toBe(found.etag);
  expect(await get('/birds/9')).toMatchObject({ status: 404, body: { code: 'user_not_found' } });
});

it('records what is read, and shows nothing that is not recorded', async () => {
  const records: unknown[] = [];
  const get = await open(async (_res, ...record) => {
    records.push(record);
    if (records.length > 1) throw new Error('The journal is full.');
  });
  await get('/birds?limit=3');
  expect(await get('/birds/1')).toMatchObject({ status: 500, body: { code: 'internal' } });
  expect(await get('/birds?limit=none')).toMatchObject({ status: 400 });
  expect(records).toEqual([
    ['ListBirds', { after: 0, limit: 3 }],
    ['GetBird', {}],
  ]);
});
