import { afterAll, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { asAdmin, createDatabase, dropDatabase, preparedTemplate, urlOf } from './template.js';
import { databaseName, isOrphan, testRun } from './test-run.js';
import { useDatabase } from './use-database.js';

let migrations = 0;
const notes = {
  template: 'notes',
  migrate: async (url: string) => {
    migrations += 1;
    await asAdmin(url, (client) => client.query('create table notes (text text primary key)'));
  },
};
const first = useDatabase(notes);
const second = useDatabase(notes);
const adminUrl = process.env['JUNCTION_TEST_POSTGRES_URL'] ?? '';

describe('a database of a test file', () => {
  it('is a clone of a template that was migrated once', async () => {
    await first().pool.query(`insert into notes values ('mine')`);
    const { rows } = await second().pool.query('select * from notes');
    expect(rows).toEqual([]);
    expect(migrations).toBe(1);
  });

  it('is an orphan once the run that made it is gone', () => {
    const run = testRun();
    const name = databaseName(run, 'file_1');
    expect(isOrphan(name, run.started)).toBe(false);
    expect(isOrphan(name, 'an earlier process with this number')).toBe(true);
    expect(isOrphan('somebody_elses', 'an earlier process')).toBe(false);
    expect(isOrphan(name, null)).toBe(false);
  });
});

describe('a template', () => {
  const half = databaseName(testRun(), 'half');
  afterAll(() => asAdmin(adminUrl, (client) => dropDatabase(client, half)));

  it('is made again when its migration failed halfway', async () => {
    let isBroken = true;
    const schema = {
      template: 'flaky',
      migrate: async (url: string) => {
        await asAdmin(url, (client) => client.query('create table a (n int)'));
        if (isBroken) throw new Error('the second statement fails');
      },
    };
    await expect(preparedTemplate(adminUrl, schema)).rejects.toThrow('the second statement fails');
    isBroken = false;

    const template = await preparedTemplate(adminUrl, schema);
    await asAdmin(adminUrl, (client) => createDatabase(client, half, template));
    const tables = await asAdmin(urlOf(adminUrl, half), (client) =>
      client.query(`select tablename from pg_tables where schemaname = 'public'`),
    );
    expect(tables.rows).toEqual([{ tablename: 'a' }]);
  });
});

it('the pool of a test file is refused at the end when a connection was kept', async () => {
  const hooks = { before: [] as (() => Promise<void>)[], after: [] as (() => Promise<void>)[] };
  const { beforeAll: before, afterAll: after } = globalThis as unknown as Record<string, unknown>;
  Object.assign(globalThis, {
    beforeAll: (run: () => Promise<void>) => hooks.before.push(run),
    afterAll: (run: () => Promise<void>) => hooks.after.push(run),
  });
  const leaky = useDatabase();
  Object.assign(globalThis, { beforeAll: before, afterAll: after });

  await hooks.before[0]?.();
  const kept: PoolClient = await leaky().pool.connect();
  kept.on('error', () => undefined);
  await expect(hooks.after[0]?.()).rejects.toThrow('1 connections of the test');
});
