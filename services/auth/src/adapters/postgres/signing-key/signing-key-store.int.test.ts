import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { authOnPostgres, testRing } from '../../../../test/auth-on-postgres.js';
import { authSchema } from '../../../../test/schema.js';
import { ensureSigningKey } from '../../../application/signing-key/rotate-signing-keys.js';
import { loadSigningKeys } from './signing-key-store.js';

const DAY_MS = 24 * 60 * 60_000;

const database = useDatabase(authSchema);
beforeEach(async () => void (await database().pool.query('truncate signing_keys')));

const load = () => loadSigningKeys(database().pool, testRing());

describe('the first signing key', () => {
  it('is one, although several replicas start at the same moment', async () => {
    const { ports } = await authOnPostgres(database());
    await database().pool.query('truncate signing_keys');
    await Promise.all(Array.from({ length: 5 }, () => ensureSigningKey(ports)));
    const keys = await load();
    expect(keys).toHaveLength(1);
    expect(keys[0]?.publicJwk).toMatchObject({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
    });
  });

  it('lies in the table and in the events without its private half in clear', async () => {
    await authOnPostgres(database());
    const { rows } = await database().pool.query<{ row: string }>(
      `select public_jwk::text || encode(private_jwk_sealed, 'escape') as row from signing_keys
       union all select data::text from events`,
    );
    expect(rows.length).toBeGreaterThan(1);
    for (const { row } of rows) expect(row).not.toContain('"d"');
  });
});

describe('a rotation on schedule', () => {
  it('comes when the newest key is ninety days old, once for all replicas', async () => {
    const { app, later } = await authOnPostgres(database());
    await app.rotateOnSchedule();
    expect(await load()).toHaveLength(1);
    later(90 * DAY_MS);
    await Promise.all([app.rotateOnSchedule(), app.rotateOnSchedule(), app.rotateOnSchedule()]);
    expect(await load()).toHaveLength(2);
  });

  it('destroys the private half of a key that is published no more', async () => {
    const { app, later } = await authOnPostgres(database());
    later(90 * DAY_MS);
    await app.rotateOnSchedule();
    later(DAY_MS);
    await app.rotateOnSchedule();
    const { rows } = await database().pool.query<{ destroyed: boolean }>(
      `select private_jwk_sealed is null as destroyed from signing_keys order by created_at`,
    );
    expect(rows).toEqual([{ destroyed: true }, { destroyed: false }]);
  });
});

describe('a rotation because a key has leaked', () => {
  it('signs with the new key at once, and publishes and keeps no other', async () => {
    const { app, keys, ports } = await authOnPostgres(database());
    const { kid, signsFrom } = await app.rotateSigningKeys({ hasLeaked: true });
    await keys.reload();
    expect(keys.current().kid).toBe(kid);
    expect(signsFrom.getTime()).toBeLessThanOrEqual(ports.now().getTime());
    expect(keys.published().keys).toMatchObject([{ kid }]);
    const { rows } = await database().pool.query(
      'select from signing_keys where private_jwk_sealed is not null',
    );
    expect(rows).toHaveLength(1);
  });
});
