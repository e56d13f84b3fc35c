import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { useDatabase } from '@junction/testing';
import { Pool, type PoolConfig } from 'pg';
import { closeLater, closeOpened } from '../../test/loopback.js';
import { toAppError } from './to-app-error.js';

const database = useDatabase();

afterEach(closeOpened);

const outage = { kind: 'unavailable', code: 'service_unavailable', retryAfterS: 1 };

describe('a database that cannot be asked', () => {
  it('is an outage when nobody listens', async () => {
    const pool = poolOf('postgres://nobody@127.0.0.1:1/none');
    expect(await failure(pool.query('select 1'))).toMatchObject(outage);
  });

  it('is an outage when it ends the connection under a statement', async () => {
    const pool = poolOf(database().url);
    const suicide = pool.query('select pg_terminate_backend(pg_backend_pid())');
    expect(await failure(suicide)).toMatchObject(outage);
  });

  it('is an outage when it ended the connection between two statements', async () => {
    const pool = poolOf(database().url);
    const client = await pool.connect();
    await failure(client.query('select pg_terminate_backend(pg_backend_pid())'));
    expect(await failure(client.query('select 1'))).toMatchObject(outage);
    client.release(true);
  });

  it('is an outage when a statement takes too long', async () => {
    const pool = poolOf(database().url, { statement_timeout: 50 });
    expect(await failure(pool.query('select pg_sleep(5)'))).toMatchObject(outage);
  });

  it('is an outage when all connections are taken', async () => {
    const pool = poolOf(database().url);
    const taken = await pool.connect();
    // The timeout is set only now, because opening the first connection may take longer.
    pool.options.connectionTimeoutMillis = 50;
    expect(await failure(pool.query('select 1'))).toMatchObject(outage);
    taken.release();
  });

  it('is an outage when it does not answer', async () => {
    const pool = poolOf(database().url, { query_timeout: 50 });
    expect(await failure(pool.query('select pg_sleep(1)'))).toMatchObject(outage);
  });

  it('says nothing of itself to the caller, and everything to the log', async () => {
    const pool = poolOf('postgres://nobody@127.0.0.1:1/none');
    const error = await failure(pool.query('select 1'));
    expect(error.message).not.toContain('127.0.0.1');
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('text that Postgres cannot hold', () => {
  it.each([
    ['text', 'select $1::text', 'a\u0000b'],
    ['jsonb', 'select $1::jsonb', JSON.stringify({ name: 'a\u0000b' })],
  ])('as %s is the fault of the request', async (_, sql, value) => {
    expect(await failure(database().pool.query(sql, [value]))).toMatchObject({
      kind: 'invalid',
      code: 'unstorable_text',
    });
  });
});

describe('any other failure', () => {
  it('stays ours when it is that of a statement', async () => {
    expect(await failure(database().pool.query('select from nowhere'))).toMatchObject({
      kind: 'internal',
      code: 'internal',
    });
  });

  it('stays what it is when it was foreseen, whatever lies behind it', () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const error = new AppError('email_taken', 'No.', { cause });
    expect(toAppError(error)).toBe(error);
  });
});

/** Opens a pool that is closed after the test. */
function poolOf(connectionString: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, max: 1, ...options });
  const ignore = () => undefined;
  pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  closeLater(() => pool.end());
  return pool;
}

const failure = async (work: Promise<unknown>): Promise<AppError> =>
  work.then(
    () => {
      throw new Error('It should have failed.');
    },
    (error: unknown) => toAppError(error),
  );
