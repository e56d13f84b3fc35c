import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { migrate } from '@junction/eventsourcing-postgres';
import { useDatabase } from '@junction/testing';
import { keyRing } from './key-ring.js';
import { vaultMigrations } from './migrations.js';
import { sealedState } from './sealed-state.js';
import { subjectVault } from './subject-vault.js';
import { VaultError } from './vault-errors.js';

interface Person {
  readonly userId?: string;
  readonly email: string;
}

const database = useDatabase({
  template: 'vault',
  migrate: (url) => migrate(url, vaultMigrations),
});

it('keeps no personal data in clear, opens in its own stream, and is gone with the key', async () => {
  const { codec, vault, ada } = people();
  const encoded = await codec.encode('user-1', ada);
  expect(JSON.stringify(encoded)).not.toContain('ada@');
  const stored: unknown = JSON.parse(JSON.stringify(encoded));
  expect(await codec.decode('user-1', stored)).toEqual(ada);
  await expect(codec.decode('user-2', stored)).rejects.toThrow(VaultError);

  await vault.shred(ada.userId);
  expect(await codec.decode('user-1', stored)).toBeUndefined();
  expect(await codec.encode('user-1', ada)).toBeUndefined();
});

it('takes no state of nobody, and refuses one in clear', async () => {
  const { codec, ada } = people();
  expect(await codec.encode('user-1', { email: '' })).toBeUndefined();
  await expect(codec.decode('user-1', ada)).rejects.toMatchObject({ code: 'not_sealed' });
});

function people() {
  const { pool } = database();
  const ring = keyRing(`k1:${Buffer.alloc(32, 1).toString('base64url')}`);
  const vault = subjectVault({ pool, ring });
  const codec = sealedState<Person>({
    vault,
    shape: 1,
    subjectOf: ({ userId }) => userId,
    decode: (stored) => stored as Person,
  });
  return { codec, vault, ada: { userId: randomUUID(), email: 'ada@example.com' } };
}
