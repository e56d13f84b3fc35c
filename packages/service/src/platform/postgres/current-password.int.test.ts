import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { postgresNotifier } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { closeLater, closeOpened, readableLog, until } from '../../../test/loopback.js';
import { postgresPool } from './pool.js';

const database = useDatabase();

afterEach(closeOpened);

describe('a password that changes in its file', () => {
  it('is that of the next connection, while those that stand go on', async () => {
    const { pool, changePassword } = await open();
    const standing = await pool.connect();
    await changePassword();

    expect((await standing.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
    expect(pool.totalCount).toBe(2);
    standing.release();
  });

  it('is that of the connection that listens, when it is lost', async () => {
    const { pool, role, changePassword } = await open();
    let heard = 0;
    const notifier = postgresNotifier({ pool, onError: () => undefined });
    closeLater(() => notifier.close());
    notifier.listen('news', () => {
      heard += 1;
    });
    await until(() => heard > 0);

    await changePassword();
    const before = heard;
    await disconnect(role);
    await until(() => heard > before);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('is the one before while the file cannot be used, and neither is shown', async () => {
    const { pool, role, file, password, text } = await open();
    for (const content of [undefined, `postgres://me:${password}@[broken/x`]) {
      if (content === undefined) rmSync(file);
      else writeFileSync(file, content);
      await disconnect(role);
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    }
    expect(text()).toContain('cannot be used');
    expect(text()).not.toContain(password);
  });

  it('lets nobody in who has another', async () => {
    const { pool, role, file, urlWith } = await open();
    writeFileSync(file, urlWith('another'));
    await disconnect(role);
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: '28P01' });
  });
});

/** Creates a role with a password of its own, which the server asks for, and a pool with the role's URL in a file. */
async function open() {
  const admin = database().pool;
  const name = randomBytes(6).toString('hex');
  const [role, password] = [`role_${name}`, `first_${name}`];
  await admin.query(`create role ${role} login password '${password}'`);
  closeLater(async () => void (await admin.query(`drop role ${role}`)));

  const urlWith = (word: string) => {
    const url = new URL(database().url);
    [url.username, url.password] = [role, word];
    return url.href;
  };
  const directory = mkdtempSync(join(tmpdir(), 'database-url-'));
  closeLater(async () => rmSync(directory, { recursive: true }));
  const file = join(directory, 'url');
  writeFileSync(file, `${urlWith(password)}\n`);

  const { log, text } = readableLog();
  const pool = postgresPool(urlWith(password), { name: role, max: 2, log, urlFile: file });
  closeLater(() => pool.end());
  await pool.query('select 1');
  const changePassword = async () => {
    await admin.query(`alter role ${role} password 'second_${name}'`);
    writeFileSync(file, `${urlWith(`second_${name}`)}\n`);
  };
  return { pool, role, file, password, text, urlWith, changePassword };
}

const disconnect = (role: string) =>
  database().pool.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = $1',
    [role],
  );
