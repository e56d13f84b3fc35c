import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { type AuthOnPostgres, authOnPostgres, testRing } from '../../../test/auth-on-postgres.js';
import { authSchema } from '../../../test/schema.js';
import { admit } from './ensure-user.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
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
    expect(await auth.app.me(userId)).toMatchObject({ email: null });
    expect(await auth.app.listApiKeys(userId)).toMatchObject([{ name: 'laptop' }]);
    const { services } = await auth.app.deleteMe(
      { userId, sessionId: undefined },
      { password: undefined, visitor },
    );
    expect(services['auth']).toMatchObject({ api_keys: 1 });
    await expect(admit(auth.ports, { userId, origin: 'acme' })).rejects.toMatchObject(
      forbidden('account_deleted'),
    );
  });

  it('has API keys that end within 90 days, whether that is asked for or not', async () => {
    const userId = await admitted();
    const { app, ports } = auth;
    const inDays = (days: number) => new Date(ports.now().getTime() + days * DAY_MS);
    const endOf = async (key: Parameters<typeof app.createApiKey>[1]) => {
      await app.createApiKey(userId, key);
      return (await app.listApiKeys(userId))[0]?.expires_at;
    };
    const end = await endOf({ name: 'laptop' });
    expect(Math.abs((end?.getTime() ?? 0) - inDays(90).getTime())).toBeLessThan(HOUR_MS);
    const sooner = { name: 'phone', expiresAt: inDays(7) };
    expect(await endOf(sooner)).toEqual(sooner.expiresAt);
    const tooLate = { kind: 'invalid', code: 'expires_too_late' };
    await expect(endOf({ name: 'tablet', expiresAt: inDays(92) })).rejects.toMatchObject(tooLate);
  });

  it('has API keys that are refused after an hour in which the issuer is silent, until it answers', async () => {
    let isThere = false;
    const ask = async () => (isThere ? undefined : Promise.reject(new Error('nobody answers')));
    const issuers = new Map([['acme', { ask }]]);
    const { app, later, ports } = await authOnPostgres(database(), testRing(), new Map(), issuers);
    const { key } = await app.createApiKey(await admitted(), { name: 'laptop' });
    const silent: string[] = [];
    const hear = async () => app.hearIssuers((issuerId) => void silent.push(issuerId));
    await hear();
    later(HOUR_MS - MINUTE_MS);
    await hear();
    const { validUntil } = (await app.holderOf(key)) ?? {};
    // A stream that a key has opened ends with the hour too.
    expect((validUntil?.getTime() ?? Infinity) - ports.now().getTime()).toBeLessThan(2 * MINUTE_MS);
    later(MINUTE_MS);
    expect(await app.holderOf(key)).toBeUndefined();
    expect(silent).toEqual(['acme', 'acme']);
    isThere = true;
    await hear();
    expect(await app.holderOf(key)).toBeDefined();
  });

  it('has API keys that are refused once the issuer is not in the file any more', async () => {
    const issuers = new Map([['acme', { ask: async () => {} }]]);
    const { app } = await authOnPostgres(database(), testRing(), new Map(), issuers);
    const { key } = await app.createApiKey(await admitted(), { name: 'laptop' });
    expect(await app.holderOf(key)).toBeDefined();
    expect(await auth.app.holderOf(key)).toBeUndefined();
  });

  it('loses the API keys by the sign-out of an operator, also without any session here', async () => {
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
