import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { keyRing } from './key-ring.js';
import { vaultMigrations } from './migrations.js';
import { subjectKeys } from './subject-keys.js';
import { subjectVault } from './subject-vault.js';
import { ShreddedError, VaultError } from './vault-errors.js';

const database = useDatabase({
  template: 'vault',
  migrate: async (url) => {
    await migrate(url, vaultMigrations);
  },
});

const newRing = () => keyRing(`k1:${randomBytes(32).toString('base64url')}`);
const text = Buffer.from('in clear');

describe('the keys of many subjects', () => {
  it('seal what the vault opens, and open what the vault sealed', async () => {
    const options = { pool: database().pool, ring: newRing() };
    const vault = subjectVault(options);
    const [known, unknown] = [randomUUID(), randomUUID()];
    const before = await vault.seal(known, text, 'place');
    const keys = await subjectKeys(options)([known, unknown]);

    expect(keys.open(known, before, 'place')).toEqual(text);
    expect(await vault.open(known, keys.seal(known, text, 'place'), 'place')).toEqual(text);
    expect(await vault.open(unknown, keys.seal(unknown, text, 'place'), 'place')).toEqual(text);
    expect(() => keys.open(known, before, 'another place')).toThrow(VaultError);
  });

  it('lack those that were shredded, which are not made anew', async () => {
    const options = { pool: database().pool, ring: newRing() };
    const vault = subjectVault(options);
    const [gone, living] = [randomUUID(), randomUUID()];
    const sealed = await vault.seal(gone, text, 'place');
    await vault.shred(gone);
    const keys = await subjectKeys(options)([gone, living]);

    expect([keys.has(gone), keys.has(living)]).toEqual([false, true]);
    expect(() => keys.open(gone, sealed, 'place')).toThrow(ShreddedError);
    expect(() => keys.seal(gone, text, 'place')).toThrow(ShreddedError);
    expect(keys.open(living, keys.seal(living, text, 'place'), 'place')).toEqual(text);
  });

  it('do not keep the others of the batch from opening when one does not', async () => {
    const { pool } = database();
    const [lost, fine] = [randomUUID(), randomUUID()];
    await subjectVault({ pool, ring: newRing() }).seal(lost, text, 'place');
    const keys = await subjectKeys({ pool, ring: newRing() })([lost, fine]);

    expect(() => keys.seal(lost, text, 'place')).toThrow(VaultError);
    expect(keys.open(fine, keys.seal(fine, text, 'place'), 'place')).toEqual(text);
  });
});
