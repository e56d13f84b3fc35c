import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { migrated } from '../../test/migrated.js';
import { revocationMigrations, revocations } from './revocations.js';

const database = useDatabase(migrated(revocationMigrations));
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

describe('a revocation', () => {
  it('counts for its session, and for a caller who shows it among others', async () => {
    const { isRevoked } = await recorded('ses_1', 15);
    expect(await isRevoked(['ses_1'])).toBe(true);
    expect(await isRevoked(['user-1', 'ses_1'])).toBe(true);
    expect(await isRevoked(['user-1', 'ses_2'])).toBe(false);
  });

  it('ends when the last token it was about has expired', async () => {
    const { isRevoked } = await recorded('ses_3', -1);
    expect(await isRevoked(['ses_3'])).toBe(false);
  });

  it('told twice lasts until the later of the two ends', async () => {
    const { isRevoked, record } = await recorded('ses_4', 15);
    await record(database().pool, 'ses_4', inMinutes(-1));
    expect(await isRevoked(['ses_4'])).toBe(true);
  });

  it('commits and rolls back with the caller', async () => {
    const { isRevoked, record } = revocations(database().pool);
    const tx = await database().pool.connect();
    try {
      await tx.query('begin');
      await record(tx, 'ses_5', inMinutes(15));
      await tx.query('rollback');
    } finally {
      tx.release();
    }
    expect(await isRevoked(['ses_5'])).toBe(false);
  });

  it('takes those that are over along', async () => {
    await recorded('ses_6', -1);
    await recorded('ses_7', 15);
    const { rows } = await database().pool.query(`select id from revocations where id = 'ses_6'`);
    expect(rows).toEqual([]);
  });

  it('revives when it is over and told again', async () => {
    const { isRevoked, record } = await recorded('ses_8', -1);
    await record(database().pool, 'ses_8', inMinutes(15));
    expect(await isRevoked(['ses_8'])).toBe(true);
  });
});

async function recorded(id: string, minutes: number) {
  const list = revocations(database().pool);
  await list.record(database().pool, id, inMinutes(minutes));
  return list;
}
