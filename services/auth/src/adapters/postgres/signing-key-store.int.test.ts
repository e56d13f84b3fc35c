import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { authSchema, testRing } from '../../../test/auth-on-postgres.js';
import { ensureSigningKey, loadSigningKeys } from './signing-key-store.js';

const database = useDatabase(authSchema);

describe('the first signing key', () => {
  it('is one, although several replicas start at the same moment', async () => {
    const { pool } = database();
    await Promise.all(Array.from({ length: 5 }, () => ensureSigningKey(pool, testRing())));

    const keys = await loadSigningKeys(pool, testRing());
    expect(keys).toHaveLength(1);
    expect(keys[0]?.publicJwk).toMatchObject({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
    });
  });

  it('lies in the table without its private half in clear', async () => {
    const { pool } = database();
    await ensureSigningKey(pool, testRing());
    const { rows } = await pool.query<{ row: string }>(
      `select public_jwk::text || encode(private_jwk_sealed, 'escape') as row from signing_keys`,
    );
    expect(rows[0]?.row).not.toContain('"d"');
  });
});
