import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing/postgres';
import { eventually, useDatabase } from '@junction/testing';
import { Pool, type PoolClient } from 'pg';
import { keyRing } from './key-ring.js';
import { vaultMigrations } from './migrations.js';
import { subjectVault, type Vault } from './subject-vault.js';
import { ShreddedError } from './vault-errors.js';

const database = useDatabase({
  template: 'vault',
  migrate: (url) => migrate(url, vaultMigrations),
});

const ring = keyRing(`k1:${Buffer.alloc(32, 1).toString('base64url')}`);
const secret = Buffer.from('the refresh token');
const place = 'credentials/refresh_token';

describe('a value that the vault has sealed for a subject', () => {
  it('opens for that subject in that context', async () => {
    const sealed = await vault.seal('con_1', secret, place);
    await expect(vault.open('con_1', sealed, place)).resolves.toEqual(secret);
  });

  it('may be empty', async () => {
    const sealed = await vault.seal('con_1', Buffer.alloc(0), place);
    await expect(vault.open('con_1', sealed, place)).resolves.toEqual(Buffer.alloc(0));
  });

  it('opens in no other context and for no other subject', async () => {
    const sealed = await vault.seal('con_1', secret, place);
    await vault.seal('con_2', secret, place);

    await expect(vault.open('con_1', sealed, 'credentials/access_token')).rejects.toMatchObject(
      unreadable,
    );
    await expect(vault.open('con_2', sealed, place)).rejects.toMatchObject(unreadable);
    await expect(vault.open('con_none', sealed, place)).rejects.toMatchObject({
      code: 'no_data_key',
    });
  });

  it('does not open when it was changed, cut or is not sealed', async () => {
    const sealed = await vault.seal('con_1', secret, place);
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(20) ^ 1, 20);

    for (const wrong of [changed, sealed.subarray(0, -1), sealed.subarray(0, 3), secret]) {
      await expect(vault.open('con_1', wrong, place)).rejects.toMatchObject(unreadable);
    }
  });

  it('is in the database under a wrapped key only', async () => {
    await vault.seal('con_1', secret, place);
    const { rows } = await pool.query('select key_id, wrapped from data_keys where subject = $1', [
      'con_1',
    ]);
    // Format, length and text of the ring key's id, IV, 32 bytes of key, tag.
    expect(rows).toEqual([{ key_id: 'k1', wrapped: expect.any(Buffer) }]);
    expect(rows[0].wrapped).toHaveLength(2 + 2 + 12 + 32 + 16);
  });
});

describe('the key of a subject', () => {
  it('is made once, however many seal for it first at the same moment', async () => {
    const [here, there] = [vault, subjectVault({ pool: otherPool, ring })];
    const sealed = await Promise.all(
      Array.from({ length: 32 }, (_, n) => (n % 2 ? here : there).seal('con_race', secret, place)),
    );

    const opened = await Promise.all(sealed.map((bytes) => here.open('con_race', bytes, place)));
    expect(opened.every((bytes) => bytes.equals(secret))).toBe(true);
  });

  it('belongs to the transaction that made it', async () => {
    const sealed = await inTransaction('rollback', async (tx) => {
      const bytes = await vault.seal('con_undone', secret, place, tx);
      await expect(vault.open('con_undone', bytes, place, tx)).resolves.toEqual(secret);
      return bytes;
    });

    await expect(vault.open('con_undone', sealed, place)).rejects.toMatchObject({
      code: 'no_data_key',
    });
  });

  it('is awaited while another transaction is making it', async () => {
    let racing: Promise<Buffer> | undefined;
    const first = await inTransaction('commit', async (tx) => {
      const bytes = await vault.seal('con_slow', secret, place, tx);
      racing = vault.seal('con_slow', secret, place);
      await somebodyWaitsForALock();
      return bytes;
    });

    await expect(vault.open('con_slow', first, place)).resolves.toEqual(secret);
    await expect(vault.open('con_slow', (await racing) ?? secret, place)).resolves.toEqual(secret);
  });

  it('does not open when its row was changed', async () => {
    const sealed = await vault.seal('con_changed', secret, place);
    await pool.query(
      `update data_keys set wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)
        where subject = 'con_changed'`,
    );
    await expect(vault.open('con_changed', sealed, place)).rejects.toMatchObject(unreadable);
    await expect(vault.seal('con_changed', secret, place)).rejects.toMatchObject(unreadable);
  });

  it('does not open when it was copied from another row', async () => {
    await vault.seal('con_mallory', secret, place);
    const sealed = await vault.seal('con_victim', secret, place);
    await pool.query(
      `update data_keys set wrapped = (select wrapped from data_keys where subject = 'con_mallory')
        where subject = 'con_victim'`,
    );
    await expect(vault.open('con_victim', sealed, place)).rejects.toMatchObject(unreadable);
  });
});

describe('a shredded subject', () => {
  it('opens and seals no more, from the commit on and in every process', async () => {
    const elsewhere = subjectVault({ pool: otherPool, ring });
    const sealed = await elsewhere.seal('con_gone', secret, place);
    await elsewhere.open('con_gone', sealed, place);
    await vault.shred('con_gone');

    await expect(elsewhere.open('con_gone', sealed, place)).rejects.toThrow(ShreddedError);
    await expect(elsewhere.seal('con_gone', secret, place)).rejects.toThrow(ShreddedError);
  });

  it('has no key in the database any more, like those that are shredded with it', async () => {
    const subjects = ['con_erased', 'con_erased_too'];
    for (const subject of subjects) await vault.seal(subject, secret, place);
    await vault.shred(subjects);
    const { rows } = await pool.query(
      'select key_id, wrapped, destroyed_at from data_keys where subject = any ($1)',
      [subjects],
    );
    const erased = { key_id: null, wrapped: null, destroyed_at: expect.any(Date) };
    expect(rows).toEqual([erased, erased]);
  });

  it('is as it was when the shredding is rolled back', async () => {
    const sealed = await vault.seal('con_kept', secret, place);
    await inTransaction('rollback', (tx) => vault.shred('con_kept', tx));
    await expect(vault.open('con_kept', sealed, place)).resolves.toEqual(secret);
  });

  it('may be shredded again, and keeps the time of the first', async () => {
    const destroyedAt = async () => {
      await vault.shred('con_twice');
      const { rows } = await pool.query('select destroyed_at from data_keys where subject = $1', [
        'con_twice',
      ]);
      return rows[0].destroyed_at;
    };
    expect(await destroyedAt()).toEqual(await destroyedAt());
  });

  it('gets no key from a seal that comes late, even if it never had one', async () => {
    await vault.shred('con_never');
    await expect(vault.seal('con_never', secret, place)).rejects.toThrow(ShreddedError);
  });
});

const unreadable = { name: 'VaultError', code: 'unreadable' };

let pool: Pool;
let otherPool: Pool;
let vault: Vault;

beforeAll(() => {
  pool = database().pool;
  otherPool = new Pool({ connectionString: database().url, max: 4 });
  otherPool.on('error', () => undefined);
  vault = subjectVault({ pool, ring });
});

afterAll(() => otherPool.end());

async function inTransaction<T>(
  end: 'commit' | 'rollback',
  work: (tx: PoolClient) => Promise<T>,
): Promise<T> {
  const tx = await pool.connect();
  try {
    await tx.query('begin');
    return await work(tx);
  } finally {
    await tx.query(end);
    tx.release();
  }
}

function somebodyWaitsForALock(): Promise<void> {
  return eventually(async () => {
    const { rows } = await otherPool.query(
      `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  });
}
