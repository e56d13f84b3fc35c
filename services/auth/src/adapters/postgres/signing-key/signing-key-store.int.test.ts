import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { authOnPostgres, testRing } from '../../../../test/auth-on-postgres.js';
import { authSchema } from '../../../../test/schema.js';
import { ensureSigningKey } from '../../../application/signing-key/rotate-signing-keys.js';
import { JWKS_MAX_AGE_MS, RELOAD_MS } from '../../../domain/signing-key/rotation.js';
import { accessTokens } from '../../jwt/access-tokens.js';
import { type SigningKeys, signingKeys } from '../../jwt/signing-keys.js';
import { loadSigningKeys } from './signing-key-store.js';

const DAY_MS = 24 * 60 * 60_000;
const TOKEN_TTL_S = 600;
const ISSUER = 'https://junction.example';

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

  it('is noticed by no verifier that caches, whichever replica signs', async () => {
    const { app, later, keys, ports } = await authOnPostgres(database());
    const { now } = ports;
    const slow = await signingKeys(load, now);
    const caches: Snapshot[] = [];
    const tokens: { readonly token: string; readonly atMs: number }[] = [];
    const first = keys.current().kid;
    for (let minute = 0; minute <= 45; minute++) {
      if (minute === 12) await app.rotateSigningKeys({ hasLeaked: false });
      caches.push({ atMs: now().getTime(), keys: copyOf(slow) });
      // The first replica hears of the rotation, the other reads the keys a whole round later.
      await slow.reload();
      caches.push({ atMs: now().getTime(), keys: copyOf(keys) });
      for (const signing of [keys, slow]) {
        tokens.push({ token: await tokenOf(signing, now), atMs: now().getTime() });
      }
      await keys.reload();
      const valid = tokens.filter(({ atMs }) => atMs > now().getTime() - TOKEN_TTL_S * 1_000);
      const held = caches.filter(({ atMs }) => atMs >= now().getTime() - 2 * JWKS_MAX_AGE_MS);
      for (const { token } of valid.slice(-2).concat(valid.slice(0, 2))) {
        for (const cache of held) await verified(token, cache, now());
      }
      later(RELOAD_MS);
    }
    expect(keys.current().kid).not.toBe(first);
    expect(keys.published().keys).toHaveLength(1);
  });
});

describe('a rotation because a key has leaked', () => {
  it('signs with the new key at once, and publishes and keeps no other', async () => {
    const { app, keys, ports } = await authOnPostgres(database());
    const leaked = await tokenOf(keys, ports.now);
    const { kid, signsFrom } = await app.rotateSigningKeys({ hasLeaked: true });
    await keys.reload();
    expect(keys.current().kid).toBe(kid);
    expect(signsFrom.getTime()).toBeLessThanOrEqual(ports.now().getTime());
    const cache = { atMs: 0, keys: copyOf(keys) };
    expect(cache.keys.keys).toHaveLength(1);
    await expect(verified(leaked, cache, ports.now())).rejects.toThrow('no applicable key');
    const { rows } = await database().pool.query(
      'select from signing_keys where private_jwk_sealed is not null',
    );
    expect(rows).toHaveLength(1);
  });
});

interface Snapshot {
  readonly atMs: number;
  readonly keys: JSONWebKeySet;
}

const copyOf = (keys: SigningKeys): JSONWebKeySet =>
  structuredClone(keys.published()) as JSONWebKeySet;

const tokenOf = async (keys: SigningKeys, now: () => Date): Promise<string> =>
  accessTokens({
    keys,
    issuer: ISSUER,
    lifetimeS: TOKEN_TTL_S,
    now,
    uuid: () => 'token',
    requireVerifiedEmail: false,
  }).forUser({ userId: 'user', sessionId: 'ses_1', role: 'user', isUnverified: false });

const verified = async (token: string, { keys }: Snapshot, currentDate: Date) =>
  jwtVerify(token, createLocalJWKSet(keys), { issuer: ISSUER, currentDate });
