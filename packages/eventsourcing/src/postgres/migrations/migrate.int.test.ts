import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { eventStoreMigrations } from './index.js';
import { type Migration, migrate, requireMigrated } from './migrate.js';

const database = useDatabase();

describe('migrating', () => {
  it('is demanded on an empty database, with the first migration and the number of the others', async () => {
    const [first, ...others] = eventStoreMigrations;
    await expect(requireMigrated(database().pool, eventStoreMigrations)).rejects.toThrow(
      `The migration ${first?.name} and ${others.length} more has not been run`,
    );
  });

  it('happens once and in order, however many processes start at the same moment', async () => {
    const starters = Array.from({ length: 6 }, () => migrate(database().url, eventStoreMigrations));
    const ran = await Promise.all(starters);

    const names = eventStoreMigrations.map(({ name }) => name);
    expect(ran.filter((one) => one.length > 0)).toEqual([names]);
  });

  it('runs new migrations and leaves unknown ones alone', async () => {
    const names = await migrate(database().url, [...eventStoreMigrations, further]);
    expect(names).toEqual(['test/0001_further']);
    expect(await migrate(database().url, eventStoreMigrations)).toEqual([]);
  });

  it('is demanded by code that needs more than has run, and not by code that needs less', async () => {
    const { pool } = database();
    await expect(requireMigrated(pool, eventStoreMigrations)).resolves.toBeUndefined();
    const newer = { ...further, name: 'test/0002_newer' };
    await expect(requireMigrated(pool, [...eventStoreMigrations, newer])).rejects.toThrow(
      'The migration test/0002_newer has not been run',
    );
  });

  it('makes an index beside a table in use, while another process waits for its turn', async () => {
    const { pool, url } = database();
    const user = await pool.connect();
    await user.query('begin; insert into further default values');
    const index: Migration = {
      name: 'test/0004_index',
      inTransaction: false,
      async up(db) {
        await db.raw('drop index if exists further_n');
        await db.raw('create index concurrently further_n on further (n)');
      },
    };
    const all = [...eventStoreMigrations, further, index];
    const migrating: Promise<readonly string[]>[] = [];
    const reasons = new Set<string>();
    const heard = new Promise<void>((resolve) => {
      const onWait = (reason: string) => void (reasons.add(reason).size === 2 && resolve());
      migrating.push(migrate(url, all, { onWait }), migrate(url, all, { onWait }));
    });
    await heard;
    await pool.query('insert into further default values');
    await user.query('commit');
    user.release();
    expect((await Promise.all(migrating)).flat()).toEqual(['test/0004_index']);
    expect(reasons).toContain('Another process migrates this database.');
  });

  it('runs a migration outside a transaction again, where its process was killed', async () => {
    const { pool, url } = database();
    await pool.query(
      `delete from knex_migrations where name = 'test/0004_index';
       update knex_migrations_lock set is_locked = 1`,
    );
    const again: Migration = {
      name: 'test/0004_index',
      inTransaction: false,
      up: (db) => db.raw('drop index concurrently further_n'),
    };
    const ran = await migrate(url, [...eventStoreMigrations, further, again]);
    expect(ran).toEqual(['test/0004_index']);
  });

  it('makes its tables in the schema where services look, whatever schema the database names first', async () => {
    const { pool, url } = database();
    await pool.query('create schema elsewhere');
    const { rows } = await pool.query<{ name: string }>('select current_database() as name');
    await pool.query(`alter database ${rows[0]?.name} set search_path = 'elsewhere'`);
    const placed: Migration = {
      name: 'test/0002_placed',
      up: (db) => db.raw('create table placed ()'),
    };
    await migrate(url, [...eventStoreMigrations, further, placed]);
    expect(await tables()).toContain('placed');
  });

  it('says which session holds the lock that it waits for, and how that is ended', async () => {
    const { pool, url } = database();
    const holder = await pool.connect();
    await holder.query('begin');
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    await holder.query('lock table further');
    const locked: Migration = {
      name: 'test/0003_locked',
      up: (db) => db.raw('alter table further add column more text'),
    };
    let migrating: Promise<unknown> | undefined;
    const heard = new Promise<string>((resolve) => {
      migrating = migrate(url, [...eventStoreMigrations, further, locked], { onWait: resolve });
    });
    expect(await heard).toContain(`select pg_terminate_backend(${rows[0]?.pid});`);
    await holder.query('commit');
    holder.release();
    await migrating;
  });

  it('leaves nothing of a migration that fails, and says why', async () => {
    const half: Migration = {
      name: 'test/0002_half',
      async up(db) {
        await db.raw('create table half (n integer)');
        await db.raw('create table further (n integer)');
      },
    };
    await expect(migrate(database().url, [half])).rejects.toThrow('already exists');
    expect(await tables()).not.toContain('half');
  });
});

const further: Migration = {
  name: 'test/0001_further',
  async up(db) {
    await db.raw('create table further (n integer)');
  },
};

async function tables(): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public' order by 1`,
  );
  return rows.map(({ tablename }) => tablename);
}
