import { afterEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { closeLater, closeOpened, readableLog, until } from '../../../service-kit/test/loopback.js';
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

function open(onDiskFull?: () => void) {
  const { log, text } = readableLog();
  const pool = postgresPool(database().url, { name: 'test-pool', max: 2, log, onDiskFull });
  closeLater(() => pool.end());
  return { pool, text };
}

const killAll = () =>
  database().pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'test-pool' and datname = current_database()`,
  );
