import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { authOnPostgres, authSchema, newcomer } from '../../../test/auth-on-postgres.js';

const KEYS_MAX = 100;

const database = useDatabase(authSchema);

describe('the API keys of a user', () => {
  it('are at most a hundred, also when they are all asked for at once', async () => {
    const { app } = await authOnPostgres(database());
    const [{ id }, { id: other }] = [
      await app.register(newcomer()),
      await app.register(newcomer()),
    ];
    const outcomes = await Promise.allSettled(
      Array.from({ length: KEYS_MAX + 20 }, (_, n) => app.createApiKey(id, { name: `key ${n}` })),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(KEYS_MAX);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({ kind: 'conflict', code: 'too_many_api_keys' });
      }
    }
    expect(await app.listApiKeys(id)).toHaveLength(KEYS_MAX);
    await expect(app.createApiKey(other, { name: 'laptop' })).resolves.toBeDefined();
  });

  it('leave room for another when one is revoked', async () => {
    const { app } = await authOnPostgres(database());
    const { id } = await app.register(newcomer());
    const keys = await Promise.all(
      Array.from({ length: KEYS_MAX }, (_, n) => app.createApiKey(id, { name: `key ${n}` })),
    );
    await app.revokeApiKey(id, keys[0]?.keyId ?? '');
    await expect(app.createApiKey(id, { name: 'laptop' })).resolves.toBeDefined();
    await expect(app.createApiKey(id, { name: 'phone' })).rejects.toMatchObject({
      code: 'too_many_api_keys',
    });
  });
});
