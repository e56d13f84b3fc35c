import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { ringPlaces, subjectVault, vaultMigrations } from '@junction/vault';
import { closeLater, closeOpened, readableLog, until } from '../../test/loopback.js';
import { Closing } from '../process/index.js';
import { openRing } from './open-ring.js';

const EVERY_MS = 20;
const SECRET = Buffer.from('the refresh token');
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const OLD = `k1:${key(1)}`;
const NEW = `k2:${key(2)}`;

const database = useDatabase({
  template: 'vault',
  migrate: (url) => migrate(url, vaultMigrations),
});

afterEach(closeOpened);

it('a key ring whose file changes is another one without a restart, if it opens all that is sealed', async () => {
  const { pool } = database();
  const directory = mkdtempSync(join(tmpdir(), 'key-ring-'));
  closeLater(async () => rmSync(directory, { recursive: true }));
  const vaultKeysFile = join(directory, 'ring');
  const write = (text: string) => {
    writeFileSync(`${vaultKeysFile}.next`, `${text}\n`);
    renameSync(`${vaultKeysFile}.next`, vaultKeysFile);
  };
  write(OLD);
  const { log, text } = readableLog();
  const closing = new Closing(log);
  closeLater(() => closing.closeAll());

  const settings = { vaultKeys: OLD, vaultKeysFile };
  const ring = await openRing(settings, pool, ringPlaces([]), { log, closing }, EVERY_MS);
  const vault = subjectVault({ pool, ring });
  const sealed = await vault.seal('con_1', SECRET, 'place');

  write(NEW);
  await until(() => text().includes('The key ring has no key'));
  expect(ring.newest.id).toBe('k1');

  write(`${NEW},${OLD}`);
  await until(() => ring.newest.id === 'k2');
  await expect(vault.open('con_1', sealed, 'place')).resolves.toEqual(SECRET);
  await vault.seal('con_2', SECRET, 'place');
  const { rows } = await pool.query('select subject, key_id from data_keys order by subject');
  expect(rows).toEqual([
    { subject: 'con_1', key_id: 'k1' },
    { subject: 'con_2', key_id: 'k2' },
  ]);
  expect(text()).not.toContain(key(2));
});
