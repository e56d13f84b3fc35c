import { beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import type { Pool } from 'pg';
import { type KeyRing, keyRing } from './key-ring.js';
import { listKeys, type RotationProgress, rotateKeys } from './key-rotation.js';
import { requireKeys } from './key-use.js';
import { vaultMigrations } from './migrations.js';
import { ringPlaces } from './ring-columns.js';
import { openWithRing, sealWithRing } from './ring-seal.js';
import { subjectVault } from './subject-vault.js';
import { ShreddedError } from './vault-errors.js';

const database = useDatabase({
  template: 'vault',
  migrate: (url) => migrate(url, vaultMigrations),
});

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const OLD = keyRing(`k1:${key(1)}`);
const BOTH = keyRing(`k2:${key(2)},k1:${key(1)}`);
const NEW = keyRing(`k2:${key(2)}`);
const SECRET = Buffer.from('the refresh token');
const PLACE = 'credentials/refresh_token';

const letters = (id: string) => `letters/${id}`;
const places = ringPlaces([
  { table: 'letters', column: 'sealed', key: 'id', keyType: 'text', place: letters },
]);

let pool: Pool;
beforeEach(async () => {
  ({ pool } = database());
  await pool.query(`
    drop table if exists letters;
    create table letters (id text primary key, sealed bytea);
    truncate data_keys`);
});

describe('a rotation of the key ring', () => {
  it('seals all anew under the traffic of replicas with both keys', async () => {
    const sealed = await fill(1_200);
    const vault = subjectVault({ pool, ring: BOTH });
    let busy = true;
    const traffic = (async () => {
      for (let n = 0; busy; n = (n + 7) % 1_200) {
        await expect(vault.open(`con_${n}`, sealed[n] ?? SECRET, PLACE)).resolves.toEqual(SECRET);
        await vault.seal(`con_new_${n}`, SECRET, PLACE);
        await vault.shred(`con_gone_${n}`);
      }
    })();
    const [first, ...rest] = await rotated(BOTH);
    busy = false;
    await traffic;

    expect(first).toMatchObject({ rowsDone: 0, rowsTotal: 1_201 });
    expect(rest.at(-1)).toMatchObject({ phase: 'done', rowsDone: 1_201, rowsLeft: 0 });
    await requireKeys(pool, NEW, places);
    await expect(
      subjectVault({ pool, ring: NEW }).open('con_1199', sealed[1_199] ?? SECRET, PLACE),
    ).resolves.toEqual(SECRET);
    const { rows } = await pool.query<{ sealed: Buffer }>('select sealed from letters');
    expect(openWithRing(NEW, rows[0]?.sealed ?? SECRET, 'letters/a')).toEqual(SECRET);
    // A key that is destroyed stays destroyed, and the column that names keys agrees with the bytes.
    await expect(vault.seal('con_gone_0', SECRET, PLACE)).rejects.toThrow(ShreddedError);
    const names = await pool.query(
      'select distinct key_id from data_keys where key_id is not null',
    );
    expect(names.rows).toEqual([{ key_id: 'k2' }]);
  });

  it('goes on where it was broken off', async () => {
    await fill(1_200);
    for await (const { rowsDone } of rotateKeys({ pool, ring: BOTH, places })) {
      if (rowsDone > 0) break;
    }
    const [first, ...rest] = await rotated(BOTH);
    expect(first).toMatchObject({ rowsTotal: 701 });
    expect(rest.at(-1)).toMatchObject({ rowsDone: 701, rowsLeft: 0, unreadable: 0 });
  });

  it('waits for no row that a request holds, and reports it as left', async () => {
    await fill(2);
    const tx = await pool.connect();
    // The lock ends after 60 s, with this error: a rotation that waited for it would then report that nothing is left.
    tx.on('error', () => {});
    await tx.query(`begin; set local idle_in_transaction_session_timeout = '60s'`);
    await tx.query(`select from data_keys where subject = 'con_0' for update`);
    const unfinished = await rotated(BOTH);
    await tx.query('rollback');
    tx.release();
    expect(unfinished.at(-1)).toMatchObject({ phase: 'done', rowsDone: 2, rowsLeft: 1 });
    expect((await rotated(BOTH)).at(-1)).toMatchObject({ rowsDone: 1, rowsLeft: 0 });
  }, 120_000);

  it('leaves alone what was tampered with, which harms nothing else', async () => {
    const sealed = await fill(3);
    await pool.query(
      `update data_keys set wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)
        where subject = 'con_1'`,
    );
    expect((await rotated(BOTH)).at(-1)).toMatchObject({ rowsDone: 3, unreadable: 1, rowsLeft: 1 });

    const vault = subjectVault({ pool, ring: BOTH });
    await expect(vault.open('con_1', sealed[1] ?? SECRET, PLACE)).rejects.toMatchObject({
      code: 'unreadable',
    });
    await expect(vault.open('con_2', sealed[2] ?? SECRET, PLACE)).resolves.toEqual(SECRET);
    await requireKeys(pool, BOTH, places);
  });

  it('can be looked at', async () => {
    await fill(2);
    await subjectVault({ pool, ring: BOTH }).seal('con_new', SECRET, PLACE);
    const [table, column] = ['data_keys', 'wrapped'];
    expect(await listKeys({ pool, ring: NEW, places })).toEqual([
      { keyId: 'k2', inRing: true, newest: true, uses: [{ keyId: 'k2', table, column, rows: 1 }] },
      {
        keyId: 'k1',
        inRing: false,
        newest: false,
        uses: [
          { keyId: 'k1', table, column, rows: 2 },
          { keyId: 'k1', table: 'letters', column: 'sealed', rows: 1 },
        ],
      },
    ]);
  });
});

describe('a start with a ring', () => {
  it('is refused when a key is missing that is still needed', async () => {
    await fill(2);
    await expect(requireKeys(pool, BOTH, places)).resolves.toBeUndefined();
    await expect(requireKeys(pool, NEW, places)).rejects.toMatchObject({
      code: 'unknown_key',
      message: expect.stringMatching(/no key "k1", .* 2 in data_keys.wrapped, 1 in letters.sealed/),
    });
  });

  it('is refused when a key is another one of the same name', async () => {
    await fill(2);
    const refused = requireKeys(pool, keyRing(`k1:${key(3)}`), places);
    await expect(refused).rejects.toThrow(/The key "k1" of the ring opens nothing/);
    await expect(refused).rejects.not.toThrow(key(3).slice(0, 8));
  });

  it('is not hindered by a value that names no key', async () => {
    await fill(2);
    await pool.query(`insert into letters values ('x', '\\x02ff6b31'), ('y', '\\x'), ('z', null)`);
    await expect(requireKeys(pool, OLD, places)).resolves.toBeUndefined();
  });
});

/** Seals for so many subjects, and one letter, under the old key. */
async function fill(subjects: number): Promise<readonly Buffer[]> {
  const vault = subjectVault({ pool, ring: OLD });
  const letter = sealWithRing(OLD, SECRET, letters('a'));
  await pool.query('insert into letters values ($1, $2)', ['a', letter]);
  return Promise.all(
    Array.from({ length: subjects }, async (_, n) => vault.seal(`con_${n}`, SECRET, PLACE)),
  );
}

async function rotated(ring: KeyRing): Promise<readonly RotationProgress[]> {
  const told: RotationProgress[] = [];
  for await (const progress of rotateKeys({ pool, ring, places })) told.push(progress);
  return told;
}
