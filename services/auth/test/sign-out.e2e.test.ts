import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignOutUsersResponse } from '@junction/contracts';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { asAdmin } from './admin-client.js';
import { askOf, logIn, type Person, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
const ask = askOf(() => auth.url);

beforeAll(async () => {
  auth = await startAuth(database(), broker);
});
afterAll(() => auth.dispose());

describe('operators sign out', () => {
  it('a user, named by address, whose API keys stay', async () => {
    const [ada, bob] = [await signUp(ask), await signUp(ask)];
    const key = await newKey(ada);

    const said = await signOut({ user: ada.email });

    expect(said.at(-1)).toEqual(ended({ users: 1, sessions: 1 }));
    await eventually(async () => expect(await me(ada.accessToken)).toBe(401));
    expect(await refreshed(ada)).toBe(401);
    expect([await me(key), await me(bob.accessToken)]).toEqual([200, 200]);
    expect((await signOut({ user: ada.id })).at(-1)).toEqual(ended({ users: 1 }));
    expect(await me((await logIn(ask, ada)).accessToken)).toBe(200);
  });

  it('everybody, with their API keys', async () => {
    const people = [await signUp(ask), await signUp(ask), await signUp(ask)];
    const keys = await Promise.all(people.map(newKey));

    const said = await signOut({ everybody: true, apiKeys: true });

    const last = said.at(-1);
    expect(last?.phase).toBe('done');
    expect(last?.users).toBe(said.length - 1);
    expect(last?.sessions).toBeGreaterThanOrEqual(people.length);
    expect(last?.apiKeys).toBeGreaterThanOrEqual(people.length);
    for (const token of [...keys, ...people.map(({ accessToken }) => accessToken)]) {
      await eventually(async () => expect(await me(token)).toBe(401));
    }
    expect(await Promise.all(people.map(refreshed))).toEqual([401, 401, 401]);
  });

  it('nobody, when it is not said whom', async () => {
    await expect(signOut({})).rejects.toMatchObject({ code: 3 });
    await expect(signOut({ user: 'ada@example.com', everybody: true })).rejects.toMatchObject({
      code: 3,
    });
    await expect(signOut({ user: 'nobody@example.com' })).rejects.toMatchObject({ code: 5 });
  });
});

const ended = (counts: Partial<SignOutUsersResponse>): SignOutUsersResponse =>
  SignOutUsersResponse.fromPartial({ phase: 'done', ...counts });

/** All that is told. */
const signOut = (request: { user?: string; everybody?: boolean; apiKeys?: boolean }) =>
  asAdmin(auth, ask, async ({ client, metadata }) => {
    const all = { user: '', everybody: false, apiKeys: false, ...request };
    const said: SignOutUsersResponse[] = [];
    for await (const each of client.signOutUsers(all, metadata)) said.push(each);
    return said;
  });

const me = async (token: string) => (await ask('GET', '/api/auth/me', { token })).status;

const refreshed = async ({ refreshToken }: Person) =>
  (await ask('POST', '/api/auth/refresh', { json: { refresh_token: refreshToken } })).status;

async function newKey({ accessToken: token }: Person): Promise<string> {
  const { body } = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'laptop' } });
  return (body as { key: string }).key;
}
