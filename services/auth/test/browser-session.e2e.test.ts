import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import { type Answer, askOf, logIn, newCredentials, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { PUBLIC_URL, type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(database(), broker, {
    REFRESH_TOKEN_REUSE_WINDOW_S: '2',
    LOGIN_LIMIT_PER_ACCOUNT: '3',
  });
});
afterAll(() => auth.dispose());

const ask = askOf(() => auth.url);
const OURS = { 'sec-fetch-site': 'same-origin', 'x-junction-csrf': '1' };
const [AT, RT] = ['__Host-jn_at', '__Secure-jn_rt'];
const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ status, code }) });

describe('POST /api/auth/session', () => {
  it('signs a browser in, with both tokens in cookies that no script and no other site gets', async () => {
    const { id, email, password } = await signUp(ask);
    const { status, headers, body } = await signIn({ email: email.toUpperCase(), password });

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ user_id: id, email, expires_in: 600 });
    const guarded = { HttpOnly: '', Secure: '', SameSite: 'Strict' };
    expect(attributesOf(headers)).toEqual({
      [AT]: { ...guarded, Path: '/', 'Max-Age': '600' },
      [RT]: { ...guarded, Path: '/api/auth/session', 'Max-Age': '2592000' },
    });
  });

  it('keeps tokens out of every body', async () => {
    const browser = await signedIn();
    const answers = [browser.answer, await browser.refresh(), await browser.me()];
    for (const { body } of answers) expect(JSON.stringify(body)).not.toMatch(/eyJ|jn_rt_|token/);
  });

  it('says the same to a wrong password as login, and counts it with the others', async () => {
    const { email } = await signUp(ask);
    const json = { email, password: 'not the one' };
    expect(await signIn(json)).toEqual(problem(401, 'invalid_credentials'));
    expect(await signIn({ ...newCredentials(), password: 'x' })).toEqual(
      problem(401, 'invalid_credentials'),
    );
    expect((await ask('POST', '/api/auth/login', { json })).status).toBe(401);
    const third = await signIn(json);
    expect([third.status, third.headers.getSetCookie()]).toEqual([401, []]);

    const limited = await signIn(json);
    expect(limited).toEqual(problem(429, 'too_many_attempts'));
    expect(limited.headers.get('ratelimit')).toMatch(/^"login-account";r=0;t=/);
  });

  it('refuses what another site could make a browser send, before any password is looked at', async () => {
    const { email, password } = await signUp(ask);
    const json = { email, password };
    for (const headers of [
      {},
      { 'x-junction-csrf': '1' },
      { 'sec-fetch-site': 'same-origin' },
      { ...OURS, 'sec-fetch-site': 'cross-site' },
      { ...OURS, 'content-type': 'text/plain' },
      { 'x-junction-csrf': '1', origin: 'https://evil.example' },
    ]) {
      const answer = await ask('POST', '/api/auth/session', { json, headers });
      expect(answer).toEqual(problem(403, 'csrf_check_failed'));
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    const headers = { 'x-junction-csrf': '1', origin: PUBLIC_URL };
    expect((await ask('POST', '/api/auth/session', { json, headers })).status).toBe(200);
  });

  it('names every field that is wrong', async () => {
    const { status, body } = await ask('POST', '/api/auth/session', { headers: OURS });
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{ field: 'email' }, { field: 'password' }] });
  });
});

describe('a browser session', () => {
  it('is its user at every endpoint, and shows who that is', async () => {
    const { me, id, email, write } = await signedIn();
    expect(await me()).toMatchObject({ status: 200, body: { user: { id, email } } });
    expect((await write('POST', '/api/auth/api-keys', { name: 'mine' })).status).toBe(201);
  });

  it('changes nothing for another site', async () => {
    const { cookie, id } = await signedIn();
    const headers = { cookie: cookie(AT), 'sec-fetch-site': 'cross-site' };
    expect(await ask('DELETE', '/api/auth/me', { headers })).toEqual(
      problem(403, 'csrf_check_failed'),
    );
    expect(await ask('GET', '/api/auth/me', { headers })).toMatchObject({ body: { user: { id } } });
  });
});

describe('POST /api/auth/session/refresh', () => {
  it('sets both cookies anew, in the same session', async () => {
    const browser = await signedIn();
    const { status, headers, body } = await browser.refresh();

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ expires_in: 600 });
    const next = valuesOf(headers);
    expect(next[RT]).not.toBe(browser.cookies[RT]);
    expect(decodeJwt(next[AT] ?? '')['sid']).toBe(decodeJwt(browser.cookies[AT] ?? '')['sid']);
    expect(attributesOf(headers)).toEqual(attributesOf(browser.answer.headers));
    expect((await browser.me(next)).status).toBe(200);
  });

  it('takes {} for a body, and nothing in it', async () => {
    const browser = await signedIn();
    const headers = { ...OURS, cookie: browser.cookie(RT) };
    const path = '/api/auth/session/refresh';
    expect((await ask('POST', path, { headers, json: {} })).status).toBe(200);
    expect(await ask('POST', path, { headers, json: { refresh_token: 'x' } })).toEqual(
      problem(400, 'invalid_request'),
    );
  });

  it('gives two tabs the same successor, and ends the session when a spent one comes later', async () => {
    const browser = await signedIn();
    const [one, two] = await Promise.all([browser.refresh(), browser.refresh()]);
    const next = valuesOf(one.headers);
    expect(valuesOf(two.headers)[RT]).toBe(next[RT]);

    // Within the window, two seconds here, it gets the identical successor; then it is a theft.
    await eventually(async () => {
      const late = await browser.refresh();
      expect(late).toEqual(problem(401, 'invalid_refresh_token'));
      expect(late.headers.getSetCookie()).toEqual(CLEARED);
    });
    expect(await browser.refresh(next)).toEqual(problem(401, 'invalid_refresh_token'));
    expect(await browser.me(next)).toEqual(problem(401, 'invalid_token'));
  });

  it('without a good cookie is refused, and both are cleared', async () => {
    for (const cookie of ['', `${RT}=`, `${RT}=jn_rt_unknown`, `${AT}=x`]) {
      const answer = await ask('POST', '/api/auth/session/refresh', {
        headers: { ...OURS, cookie },
      });
      expect(answer).toEqual(problem(401, 'invalid_refresh_token'));
      expect(answer.headers.getSetCookie()).toEqual(CLEARED);
    }
  });

  it('refuses two cookies of its name, and another site', async () => {
    const browser = await signedIn();
    const path = '/api/auth/session/refresh';
    const twice = `${browser.cookie(RT)}; ${RT}=jn_rt_planted`;
    expect(await ask('POST', path, { headers: { ...OURS, cookie: twice } })).toEqual(
      problem(400, 'ambiguous_cookie'),
    );
    const foreign = { cookie: browser.cookie(RT), 'sec-fetch-site': 'cross-site' };
    expect(await ask('POST', path, { headers: foreign })).toEqual(
      problem(403, 'csrf_check_failed'),
    );
    expect(valuesOf((await browser.refresh()).headers)[RT]).toMatch(/^jn_rt_/);
  });
});

describe('DELETE /api/auth/session', () => {
  const signOut = (cookie: string) =>
    ask('DELETE', '/api/auth/session', { headers: { ...OURS, cookie } });

  it.each([
    ['both cookies', [AT, RT]],
    ['the access token alone', [AT]],
    ['the refresh token alone, when the other one is long gone', [RT]],
  ])('ends the session at once, with %s', async (_, names) => {
    const browser = await signedIn();
    const { status, headers } = await signOut(browser.cookie(...names));

    expect([status, headers.get('cache-control')]).toEqual([204, 'no-store']);
    expect(headers.getSetCookie()).toEqual(CLEARED);
    expect(await browser.me()).toEqual(problem(401, 'invalid_token'));
    expect(await browser.refresh()).toEqual(problem(401, 'invalid_refresh_token'));
  });

  it('answers 204 again, and to whoever has no session', async () => {
    const browser = await signedIn();
    for (const cookie of [browser.cookie(AT, RT), browser.cookie(AT, RT), '', `${AT}=x; ${RT}=y`]) {
      const { status, headers } = await signOut(cookie);
      expect([status, headers.getSetCookie()]).toEqual([204, CLEARED]);
    }
  });

  it('ends the session behind a cookie that somebody doubled', async () => {
    const browser = await signedIn();
    expect((await signOut(`${RT}=planted; ${browser.cookie(RT)}`)).status).toBe(204);
    expect(await browser.me()).toEqual(problem(401, 'invalid_token'));
  });

  it('leaves the other sessions of the user alone', async () => {
    const browser = await signedIn();
    const { accessToken: token } = await logIn(ask, browser);
    await signOut(browser.cookie(AT, RT));
    expect((await ask('GET', '/api/auth/me', { token })).status).toBe(200);
  });

  it('does nothing for another site', async () => {
    const browser = await signedIn();
    const headers = { cookie: browser.cookie(AT, RT), 'sec-fetch-site': 'same-site' };
    expect(await ask('DELETE', '/api/auth/session', { headers })).toEqual(
      problem(403, 'csrf_check_failed'),
    );
    expect((await browser.me()).status).toBe(200);
  });
});

describe('a login for an API client', () => {
  it('sets no cookie and needs no header of a browser', async () => {
    const { email, password } = await signUp(ask);
    const { status, headers, body } = await ask('POST', '/api/auth/login', {
      json: { email, password },
    });
    expect([status, headers.getSetCookie()]).toEqual([200, []]);
    expect(Object.keys(body as object)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
    ]);
  });
});

it('writes no token and no cookie into its log', async () => {
  const browser = await signedIn();
  await browser.refresh();
  expect(auth.logs()).toContain('/api/auth/session/refresh');
  expect(auth.logs()).not.toMatch(/eyJ|jn_rt_[\w-]{8}|jn_at=/);
});

const EPOCH = 'Thu, 01 Jan 1970 00:00:00 GMT';
const CLEARED = [
  `${AT}=; Path=/; Expires=${EPOCH}; HttpOnly; Secure; SameSite=Strict`,
  `${RT}=; Path=/api/auth/session; Expires=${EPOCH}; HttpOnly; Secure; SameSite=Strict`,
];

type Cookies = Readonly<Record<string, string>>;

const signIn = (json: { readonly email: string; readonly password: string }): Promise<Answer> =>
  ask('POST', '/api/auth/session', { json, headers: OURS });

/** Signs a new person in, in a browser of her own that sends requests as our pages do. */
async function signedIn() {
  const { id, email, password } = await signUp(ask);
  const answer = await signIn({ email, password });
  const cookies = valuesOf(answer.headers);
  const headerOf = (held: Cookies, names: readonly string[]) =>
    names.map((name) => `${name}=${held[name] ?? ''}`).join('; ');

  return {
    id,
    email,
    password,
    answer,
    cookies,
    cookie: (...names: string[]) => headerOf(cookies, names),
    me: (held = cookies) =>
      ask('GET', '/api/auth/me', { headers: { cookie: headerOf(held, [AT]) } }),
    refresh: (held = cookies) =>
      ask('POST', '/api/auth/session/refresh', {
        headers: { ...OURS, cookie: headerOf(held, [AT, RT]) },
      }),
    write: (method: string, path: string, json: object) =>
      ask(method, path, { json, headers: { ...OURS, cookie: headerOf(cookies, [AT]) } }),
  };
}

const setCookies = (headers: Headers) =>
  headers.getSetCookie().map((line) =>
    line.split('; ').map((part) => {
      const [name = '', ...value] = part.split('=');
      return [name, value.join('=')] as const;
    }),
  );

const valuesOf = (headers: Headers): Cookies =>
  Object.fromEntries(setCookies(headers).flatMap(([pair]) => (pair ? [pair] : [])));

/** All but Expires, which is Max-Age counted from the moment of the answer. */
const attributesOf = (headers: Headers) =>
  Object.fromEntries(
    setCookies(headers).map(([pair, ...attributes]) => [
      pair?.[0],
      Object.fromEntries(attributes.filter(([name]) => name !== 'Expires')),
    ]),
  );
