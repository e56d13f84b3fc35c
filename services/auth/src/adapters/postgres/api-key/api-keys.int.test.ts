import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { authOnPostgres, newcomer } from '../../../../test/auth-on-postgres.js';
import { authSchema } from '../../../../test/schema.js';

const KEYS_MAX = 100;

const database = useDatabase(authSchema);

describe('the API keys of a user', () => {
  it('are at most a hundred, also when all are asked for at once, until one is revoked', async () => {
    const { app } = await authOnPostgres(database());
    const [{ id }, { id: other }] = [
      await app.register(newcomer()),
      await app.register(newcomer()),
    ];
    const outcomes = await Promise.allSettled(
      Array.from({ length: KEYS_MAX + 20 }, (_, n) => app.createApiKey(id, { name: `key ${n}` })),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(KEYS_MAX);
    const full = { kind: 'conflict', code: 'too_many_api_keys' };
    for (const { reason } of outcomes.filter((one) => one.status === 'rejected')) {
      expect(reason).toMatchObject(full);
    }
    const kept = await app.listApiKeys(id);
    expect(kept).toHaveLength(KEYS_MAX);
    await app.revokeApiKey(id, kept[0]?.id ?? '');
    await expect(app.createApiKey(id, { name: 'laptop' })).resolves.toBeDefined();
    await expect(app.createApiKey(id, { name: 'phone' })).rejects.toMatchObject(full);
    await expect(app.createApiKey(other, { name: 'laptop' })).resolves.toBeDefined();
  });
});

describe('an API key', () => {
  const withKey = async () => {
    const auth = await authOnPostgres(database());
    const { id: userId } = await auth.app.register(newcomer());
    return { ...auth, userId, ...(await auth.app.createApiKey(userId, { name: 'laptop' })) };
  };

  it('is shown as its own transaction wrote it, so that no read after it can lose the secret', async () => {
    const { app, userId, keyId, shown } = await withKey();
    expect(shown).toMatchObject({ id: keyId, name: 'laptop', previous_valid_until: null });
    const rotated = await app.rotateApiKey(userId, keyId, 3_600);
    expect(rotated.shown).toEqual({ ...shown, previous_valid_until: rotated.previousValidUntil });
  });

  it('has two secrets during the overlap of its rotation, and then the new one', async () => {
    const { app, later, userId, keyId, key: first } = await withKey();
    const { key: second, previousValidUntil } = await app.rotateApiKey(userId, keyId, 3_600);
    expect(second).not.toBe(first);
    expect(await app.holderOf(first)).toMatchObject({
      keyId,
      secretVersion: 1,
      validUntil: previousValidUntil,
    });
    expect(await app.holderOf(second)).toMatchObject({ secretVersion: 2, validUntil: undefined });
    later(3_601_000);
    expect(await app.holderOf(first)).toBeUndefined();
    expect(await app.holderOf(second)).toMatchObject({ keyId, userId });
  });

  it('keeps one secret of those it was rotated away from, however many rotate it at once', async () => {
    const { app, userId, keyId, key } = await withKey();
    const rotations = await Promise.all([
      app.rotateApiKey(userId, keyId, 3_600),
      app.rotateApiKey(userId, keyId, 3_600),
    ]);
    const holders = await Promise.all(
      [key, ...rotations.map((one) => one.key)].map((one) => app.holderOf(one)),
    );
    expect(holders[0]).toBeUndefined();
    expect(new Set(holders.map((holder) => holder?.secretVersion))).toEqual(
      new Set([undefined, 2, 3]),
    );
    await app.revokeApiKey(userId, keyId);
    for (const { key } of rotations) expect(await app.holderOf(key)).toBeUndefined();
  });

  it("is nobody's once it has expired", async () => {
    const { app, ports, later, userId } = await withKey();
    const expiresAt = new Date(ports.now().getTime() + 60_000);
    const { key } = await app.createApiKey(userId, { name: 'short', expiresAt });
    expect(await app.holderOf(key)).toMatchObject({ userId });
    later(60_000);
    expect(await app.holderOf(key)).toBeUndefined();
  });

  it('says when it was used last, to the minute', async () => {
    const { app, later, userId, key } = await withKey();
    const lastUsedAt = async () => (await app.listApiKeys(userId))[0]?.last_used_at?.getTime();
    await app.writeApiKeyUses();
    expect(await lastUsedAt()).toBeUndefined();
    const use = async () => {
      await app.holderOf(key);
      await app.writeApiKeyUses();
      return lastUsedAt();
    };
    const first = await use();
    expect(first).toBeGreaterThan(Date.now() - 60_000);
    later(30_000);
    expect(await use()).toBe(first);
    later(31_000);
    expect(await use()).toBeGreaterThan((first ?? 0) + 60_000);
  });
});
