import { afterEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { closeLater, closeOpened, readableLog, until } from '../../../test/loopback.js';
import { postgresPool } from './pool.js';

const database = useDatabase();

afterEach(closeOpened);

describe('a pool', () => {
  it('survives the loss of idle connections, says so, and goes on', async () => {
    const { pool, text } = open();
    await pool.query('select 1');
    await killAll();
    await until(() => text().includes('postgres connection lost'));
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('survives the loss of a connection in the middle of a transaction', async () => {
    const { pool, text } = open();
    const client = await pool.connect();
    await client.query('begin');
    await killAll();
    await until(() => text().includes('postgres client lost'));
    await expect(client.query('select 1')).rejects.toThrow('not queryable');
    client.release(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('bounds statements and idle transactions, and says whose they are', async () => {
    const { pool } = open();
    const { rows } = await pool.query<Record<string, string>>(
      `select current_setting('statement_timeout') as statement,
              current_setting('idle_in_transaction_session_timeout') as idle,
              current_setting('application_name') as name`,
    );
    expect(rows).toEqual([{ statement: '30s', idle: '10s', name: 'test-pool' }]);
  });

  it('reads and writes alike whatever the defaults of its role and database are', async () => {
    await foreignDefaults();
    const { pool } = open();
    const { rows } = await pool.query(
      `select timestamptz '2026-03-04 05:06:07Z' as at, interval '1 day 02:00' as every, '\\x01'::bytea as bytes,
              length('a\\b') as letters, 0.1::float8 + 0.2::float8 as sum, date '04-03-2026'::text as day,
              to_regclass('kept')::text as kept, current_setting('transaction_isolation') as isolation,
              current_setting('transaction_read_only') as read_only, current_setting('TimeZone') as zone,
              current_setting('idle_session_timeout') as idle, current_setting('lock_timeout') as lock`,
    );
    expect(rows).toEqual([
      {
        at: new Date('2026-03-04T05:06:07Z'),
        every: expect.objectContaining({ days: 1, hours: 2 }),
        bytes: Buffer.from([1]),
        letters: 3,
        sum: 0.1 + 0.2,
        day: '2026-04-03',
        kept: 'kept',
        isolation: 'read committed',
        read_only: 'off',
        zone: 'UTC',
        idle: '0',
        lock: '0',
      },
    ]);
  });

  it('keeps the settings that its address names beside its own', async () => {
    const { pool } = open(undefined, '?options=-c%20work_mem%3D5MB%20-c%20datestyle%3DGerman');
    const { rows } = await pool.query(
      `select current_setting('work_mem') as work_mem, current_setting('datestyle') as datestyle`,
    );
    expect(rows).toEqual([{ work_mem: '5MB', datestyle: 'ISO, MDY' }]);
  });

  it('tells of a full disk, by whatever kind of query it is met', async () => {
    let met = 0;
    const { pool } = open(() => {
      met += 1;
    });
    // No disk of this test is full: the server says the words that it says then.
    const refused = (code: string) =>
      `do $$ begin raise exception using errcode = '${code}', message = 'as if'; end $$`;
    await expect(pool.query(refused('53200'))).rejects.toMatchObject({ code: '53200' });
    expect(met).toBe(0);
    await expect(pool.query(refused('53100'))).rejects.toMatchObject({ code: '53100' });
    const client = await pool.connect();
    const prepared = client.query({ name: 'refused', text: refused('53100') });
    await expect(prepared.finally(() => client.release())).rejects.toMatchObject({ code: '53100' });
    expect(met).toBe(2);
  });

  it('gives up on a database that is not there', async () => {
    const pool = postgresPool('postgres://nobody@127.0.0.1:1/none', {
      name: 'test-pool',
      max: 1,
      log: readableLog().log,
    });
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await pool.end();
  });
});

function open(onDiskFull?: () => void, query = '') {
  const { log, text } = readableLog();
  const pool = postgresPool(database().url + query, { name: 'test-pool', max: 2, log, onDiskFull });
  closeLater(() => pool.end());
  return { pool, text };
}

/** Gives the database the defaults of another country and another administrator. */
async function foreignDefaults(): Promise<void> {
  const { pool } = database();
  await pool.query('create table kept (n integer); create schema elsewhere');
  const { rows } = await pool.query<{ name: string }>('select current_database() as name');
  const defaults = [
    `datestyle = 'German, DMY'`,
    `intervalstyle = 'iso_8601'`,
    `timezone = 'Asia/Kolkata'`,
    `bytea_output = 'escape'`,
    `standard_conforming_strings = off`,
    `extra_float_digits = -15`,
    `search_path = 'elsewhere'`,
    `default_transaction_isolation = 'serializable'`,
    `default_transaction_read_only = on`,
    `idle_session_timeout = '1s'`,
    `lock_timeout = '1ms'`,
  ];
  for (const one of defaults) await pool.query(`alter database ${rows[0]?.name} set ${one}`);
}

const killAll = () =>
  database().pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'test-pool' and datname = current_database()`,
  );
