import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { type Migration, migrate } from './migrate.js';
import { LINE, refuseForeign } from './owner.js';

const database = useDatabase();
const owner = { service: 'auth', version: '0.2.0' };
const migration = (name: string): Migration => ({ name, up: (db) => db.raw('select 1') });
const ours = ['events/0001_events', 'auth/0001_users', 'auth/0002_sessions'].map(migration);
const rowOf = async () =>
  (await database().pool.query('select service, version, line from database_owner')).rows;

describe('a database without an owner', () => {
  it('gets one when it is migrated, also if nothing had to run', async () => {
    await migrate(database().url, ours.slice(0, 2));
    for (const known of [ours, ours.slice(0, 2)]) {
      await expect(refuseForeign(database().pool, owner, known)).resolves.toBeUndefined();
    }
    await migrate(database().url, ours.slice(0, 2), { owner });
    expect(await rowOf()).toEqual([{ service: 'auth', version: '0.2.0', line: LINE }]);
    await database().pool.query('drop table database_owner');
  });

  it('is not migrated for another service, which its migrations show', async () => {
    const dispatcher = { service: 'webhook-dispatcher', version: '0.2.0' };
    const theirs = ['events/0001_events', 'webhooks/0001_webhooks'].map(migration);
    const refused = 'not that of webhook-dispatcher: the migration auth/0001_users was run in it.';
    await expect(migrate(database().url, theirs, { owner: dispatcher })).rejects.toThrow(refused);
    await expect(refuseForeign(database().pool, dispatcher, theirs)).rejects.toThrow(refused);
  });

  it('is not migrated when another line of migrations made it', async () => {
    const folded = ['events/0001_events', 'auth/0001_accounts'].map(migration);
    await expect(migrate(database().url, folded, { owner })).rejects.toThrow(
      /a version of auth that this one is not upgraded from: it has the migration auth\/0001_users, and not auth\/0001_accounts\. Keep that version.*npm run reset.*deletes all data/,
    );
  });
});

describe('a database with an owner', () => {
  it('says which version migrated it last, and the version before works on', async () => {
    await migrate(database().url, ours.slice(0, 2), { owner });
    await migrate(database().url, ours, { owner: { ...owner, version: '0.3.0' } });
    expect(await migrate(database().url, ours.slice(0, 2), { owner })).toEqual([]);
    expect(await rowOf()).toEqual([{ service: 'auth', version: '0.3.0', line: LINE }]);
    await expect(refuseForeign(database().pool, owner, ours.slice(0, 2))).resolves.toBeUndefined();
  });

  it('is named to the service that it does not belong to', async () => {
    const other = { service: 'integrations', version: '0.3.0' };
    await expect(migrate(database().url, ours, { owner: other })).rejects.toThrow(
      'This is the database of auth.',
    );
  });

  it.each([
    [1, 'and version 0.2.0 is too old for it'],
    [-1, 'and version 0.2.0 is not upgraded to from that one'],
  ])('that is %i lines of migrations away keeps its version', async (away, words) => {
    await database().pool.query('update database_owner set line = $1', [LINE + away]);
    const refused = `This database was made by version 0.3.0 of auth, ${words}. Keep that version`;
    await expect(migrate(database().url, ours, { owner })).rejects.toThrow(refused);
    await expect(refuseForeign(database().pool, owner, ours)).rejects.toThrow(refused);
  });
});
