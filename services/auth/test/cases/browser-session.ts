import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type Answer, OWN_PAGE, problem, signUp } from '../http-client.js';
import { type UsedAuth } from '../started-auth.js';

const [AT, RT, IN, KB] = ['__Host-jn_at', '__Secure-jn_rt', '__Secure-jn_in', '__Secure-jn_kb'];
const EPOCH = 'Thu, 01 Jan 1970 00:00:00 GMT';
const CLEARED = [
  `${AT}=; Path=/; Expires=${EPOCH}; HttpOnly; Secure; SameSite=Strict`,
  `${RT}=; Path=/api/auth/session; Expires=${EPOCH}; HttpOnly; Secure; SameSite=Strict`,
  `${IN}=; Path=/; Expires=${EPOCH}; Secure; SameSite=Strict`,
];

export function browserSessionCases({ ask }: UsedAuth): void {
  const signIn = (json: { readonly email: string; readonly password: string }): Promise<Answer> =>
    ask('POST', '/api/auth/session', { json, headers: OWN_PAGE });

  /** Signs a new person in, in a browser of her own that sends requests as our pages do. */
  const signedIn = async () => {
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
          headers: { ...OWN_PAGE, cookie: headerOf(held, [AT, RT]) },
        }),
    };
  };

  describe('POST /api/auth/session', () => {
    it('signs a browser in, with both tokens in cookies that no script and no other site gets, and one for scripts that holds nothing', async () => {
      const { id, email, password } = await signUp(ask);
      const { status, headers, body } = await signIn({ email: email.toUpperCase(), password });

      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body).toEqual({ user_id: id, email, expires_in: 600 });
      const guarded = { HttpOnly: '', Secure: '', SameSite: 'Strict' };
      expect(attributesOf(headers)).toEqual({
        [AT]: { ...guarded, Path: '/', 'Max-Age': '600' },
        [RT]: { ...guarded, Path: '/api/auth/session', 'Max-Age': '2592000' },
        [IN]: { Secure: '', SameSite: 'Strict', Path: '/', 'Max-Age': '2592000' },
        [KB]: { ...guarded, Path: '/api/auth', 'Max-Age': '34560000' },
      });
    });
  });

  describe('POST /api/auth/session/refresh', () => {
    it('sets the cookies anew, in the same session', async () => {
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

    it('without a good cookie is refused, and all are cleared', async () => {
      for (const cookie of ['', `${RT}=`, `${RT}=jn_rt_unknown`, `${AT}=x`]) {
        const answer = await ask('POST', '/api/auth/session/refresh', {
          headers: { ...OWN_PAGE, cookie },
        });
        expect(answer).toEqual(problem(401, 'invalid_refresh_token'));
        expect(answer.headers.getSetCookie()).toEqual(CLEARED);
      }
    });

    it('refuses two cookies of its name', async () => {
      const browser = await signedIn();
      const path = '/api/auth/session/refresh';
      const twice = `${browser.cookie(RT)}; ${RT}=jn_rt_planted`;
      expect(await ask('POST', path, { headers: { ...OWN_PAGE, cookie: twice } })).toEqual(
        problem(400, 'ambiguous_cookie'),
      );
      expect(valuesOf((await browser.refresh()).headers)[RT]).toMatch(/^jn_rt_/);
    });
  });

  describe('DELETE /api/auth/session', () => {
    const signOut = (cookie: string) =>
      ask('DELETE', '/api/auth/session', { headers: { ...OWN_PAGE, cookie } });

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
      for (const cookie of [
        browser.cookie(AT, RT),
        browser.cookie(AT, RT),
        '',
        `${AT}=x; ${RT}=y`,
      ]) {
        const { status, headers } = await signOut(cookie);
        expect([status, headers.getSetCookie()]).toEqual([204, CLEARED]);
      }
    });

    it('ends the session behind a cookie that somebody doubled', async () => {
      const browser = await signedIn();
      expect((await signOut(`${RT}=planted; ${browser.cookie(RT)}`)).status).toBe(204);
      expect(await browser.me()).toEqual(problem(401, 'invalid_token'));
    });
  });
}

type Cookies = Readonly<Record<string, string>>;

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
