import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCredentials, OWN_PAGE, type Person, signUp } from './http-client.js';
import { useAuth } from './started-auth.js';

const { auth, ask } = useAuth(() => ({
  TRUSTED_PROXIES: '192.0.2.254',
  SIGN_IN_LIMITS: 'account=3/900',
}));
let person: Person;
beforeAll(async () => {
  person = await signUp(ask);
});

const me = async (token: string) => (await ask('GET', '/api/auth/me', { token })).status;

describe('an access token', () => {
  it('is not taken from the query string, and neither is an API key', async () => {
    const made = await ask('POST', '/api/auth/api-keys', {
      token: person.accessToken,
      json: { name: 'laptop' },
    });
    const { key: apiKey } = made.body as { key: string };
    expect(await me(apiKey)).toBe(200);
    for (const secret of [person.accessToken, apiKey, person.refreshToken]) {
      for (const name of ['access_token', 'token', 'api_key', 'key', 'authorization']) {
        expect((await ask('GET', `/api/auth/me?${name}=${secret}`)).status).toBe(401);
      }
    }
    expect(auth().logs()).not.toContain(apiKey);
    expect(auth().logs()).not.toContain(person.refreshToken);
    expect(auth().logs()).not.toContain(person.accessToken);
  });
});

describe('a browser', () => {
  it('gets cookies of its own at sign-in, whatever somebody planted before', async () => {
    const { email, password, id } = await signUp(ask);
    const planted = `__Host-jn_at=${person.accessToken}; __Secure-jn_rt=${person.refreshToken}`;
    const answer = await ask('POST', '/api/auth/session', {
      json: { email, password },
      headers: { ...OWN_PAGE, cookie: planted },
    });
    expect(answer).toMatchObject({ status: 200, body: { user_id: id } });
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    expect(cookie).not.toContain(person.accessToken);
    expect(cookie).not.toContain(person.refreshToken);
    const mine = await ask('GET', '/api/auth/me', { headers: { cookie } });
    expect(mine.body).toMatchObject({ user: { id } });
    const { accessToken } = person;
    const theirs = await ask('GET', '/api/auth/me', { token: accessToken });
    expect(theirs.body).toMatchObject({ user: { id: person.id } });
  });
});

describe('X-Forwarded-For', () => {
  it('does not make tries at a password free when no proxy of ours sent it', async () => {
    const { email } = await signUp(ask);
    const tries: number[] = [];
    for (let n = 1; n <= 5; n++) {
      const json = { email, password: newCredentials().password };
      const headers = { 'x-forwarded-for': `203.0.113.${n}` };
      tries.push((await ask('POST', '/api/auth/login', { json, headers })).status);
    }
    expect(tries).toEqual([401, 401, 401, 429, 429]);
  });
});
