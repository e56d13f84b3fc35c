import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { type AuthOnPostgres, authOnPostgres } from '../../../test/auth-on-postgres.js';
import { authSchema } from '../../../test/schema.js';
import { admit } from './ensure-user.js';

const visitor = { ip: '192.0.2.1', onLimit: () => {} };
const forbidden = (code: string) => ({ kind: 'forbidden', code });

const database = useDatabase(authSchema);
let auth: AuthOnPostgres;
beforeAll(async () => {
  auth = await authOnPostgres(database());
});

describe("a trusted issuer's user", () => {
  it('has an account from the first sight on, seen at once by many', async () => {
    const userId = randomUUID();
    await Promise.all([1, 2, 3].map(() => admit(auth.ports, { userId, origin: 'acme' })));
    expect(await auth.app.me(userId)).toMatchObject({
      id: userId,
      email: null,
      origin: 'acme',
      role: 'user',
    });
    expect(await auth.ports.accounts.history(userId)).toHaveLength(1);
  });

  it('keeps address, password and second factor at the issuer', async () => {
    const userId = await admitted();
    const { changeEmail, resendVerification, secondFactors, changePassword } = auth.app;
    const password = 'whatever it is';
    const caller = { userId, sessionId: 'ses_none' };
    for (const attempt of [
      () => changeEmail(caller, { password, newEmail: 'a@example.com', visitor }),
      () => resendVerification(userId, visitor),
      () => secondFactors.offerTotp(userId),
      () => secondFactors.offerPasskey(userId),
      () => changePassword(caller, { currentPassword: password, newPassword: password, visitor }),
    ]) {
      await expect(attempt()).rejects.toMatchObject(forbidden('account_elsewhere'));
    }
  });

  it('creates API keys, is exported, and is deleted for good without a password', async () => {
    const userId = await admitted();
    await auth.app.createApiKey(userId, { name: 'laptop' });
    expect(await auth.app.exportAccount(userId)).toMatchObject({
      user: { email: null },
      apiKeys: [{ name: 'laptop' }],
    });
    const { services } = await auth.app.deleteMe(
      { userId, sessionId: undefined },
      { password: undefined, visitor },
    );
    expect(services['auth']).toMatchObject({ api_keys: 1 });
    await expect(admit(auth.ports, { userId, origin: 'acme' })).rejects.toMatchObject(
      forbidden('account_deleted'),
    );
  });

  it('who has never had a session here loses the API keys by the sign-out of an operator', async () => {
    const userId = await admitted();
    const { key } = await auth.app.createApiKey(userId, { name: 'laptop' });
    const userIds = [await auth.app.userNamed({ userId })];
    const signal = new AbortController().signal;
    const steps = auth.app.signOut(each(userIds), { withApiKeys: true, signal });
    const { value } = await steps.next();
    expect(value).toEqual({ users: 1, sessions: 0, apiKeys: 1 });
    expect(await auth.app.holderOf(key)).toBeUndefined();
  });
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function admitted(): Promise<string> {
  const userId = randomUUID();
  await admit(auth.ports, { userId, origin: 'acme' });
  return userId;
}
