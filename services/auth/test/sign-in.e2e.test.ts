import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { askOf, logIn, newCredentials, signUp, tokensOf } from './http-client.js';
import { authSchema } from './schema.js';
import { PUBLIC_URL, type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(database(), broker, { REFRESH_TOKEN_REUSE_WINDOW_S: '2' });
});
afterAll(() => auth.dispose());

const ask = askOf(() => auth.url);
const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ status, code }) });

describe('POST /api/auth/register', () => {
  it('makes a user of an address, written in whatever way', async () => {
    const { email, password } = newCredentials();
    const written = `  ${email.toUpperCase()} `;
    const { status, body } = await ask('POST', '/api/auth/register', {
      json: { email: written, password },
    });

    expect(status).toBe(201);
    expect(body).toEqual({ user: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), email } });
    await expect(logIn(ask, { email, password })).resolves.toBeDefined();
  });

  it('refuses an address that is taken, also by who writes it otherwise', async () => {
    const { email, password } = await signUp(ask);
    const answer = await ask('POST', '/api/auth/register', {
      json: { email: email.toUpperCase(), password },
    });
    expect(answer).toEqual(problem(409, 'email_taken'));
  });

  it('lets one of two win who want the same address at the same moment', async () => {
    const json = newCredentials();
    const answers = await Promise.all([
      ask('POST', '/api/auth/register', { json }),
      ask('POST', '/api/auth/register', { json }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });

  it('names every field that is wrong, and none of their values', async () => {
    const { status, body } = await ask('POST', '/api/auth/register', {
      json: { email: 'nobody', password: 'short', admin: true },
    });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['admin', 'email', 'password']);
    expect(JSON.stringify(body)).not.toContain('short');
  });

  it('wants 8 to 256 characters for a password', async () => {
    const { email } = newCredentials();
    for (const password of ['1234567', 'x'.repeat(257), '', 12345678, null]) {
      const { status, body } = await ask('POST', '/api/auth/register', {
        json: { email, password },
      });
      expect([status, fieldsOf(body)]).toEqual([400, ['password']]);
    }
  });
});

describe('POST /api/auth/login', () => {
  it('gives an EdDSA access token for ten minutes that anybody can verify', async () => {
    const person = await signUp(ask);
    const { status, headers, body } = await ask('POST', '/api/auth/login', {
      json: { email: person.email, password: person.password },
    });

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      refresh_token: expect.any(String),
    });
    const keys = createRemoteJWKSet(new URL(`${auth.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(tokensOf(body).accessToken, keys, {
      issuer: PUBLIC_URL,
      audience: 'junction-api',
      typ: 'at+jwt',
      algorithms: ['EdDSA'],
    });
    expect(payload).toMatchObject({ sub: person.id, sid: expect.stringMatching(/^ses_/) });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600);
    expect(protectedHeader.kid).toEqual(expect.any(String));
  });

  it('says the same to a wrong password and to an unknown address', async () => {
    const { email } = await signUp(ask);
    const [wrong, unknown] = [
      await ask('POST', '/api/auth/login', { json: { email, password: 'not the one' } }),
      await ask('POST', '/api/auth/login', {
        json: { ...newCredentials(), password: 'not the one' },
      }),
    ];

    expect(wrong).toEqual(problem(401, 'invalid_credentials'));
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer/);
    const { request_id: _, ...words } = wrong.body as Record<string, unknown>;
    expect(unknown.body).toMatchObject(words);
  });
});

describe('POST /api/auth/refresh', () => {
  const refresh = (refresh_token: unknown) =>
    ask('POST', '/api/auth/refresh', { json: { refresh_token } });

  it('exchanges a token for the next one, the identical one when it is asked again', async () => {
    const { refreshToken, accessToken } = await signUp(ask);
    const [one, two] = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    const again = await refresh(refreshToken);

    expect([one.status, two.status, again.status]).toEqual([200, 200, 200]);
    const next = tokensOf(one.body);
    expect(next.refreshToken).not.toBe(refreshToken);
    expect(tokensOf(two.body).refreshToken).toBe(next.refreshToken);
    expect(tokensOf(again.body).refreshToken).toBe(next.refreshToken);
    expect(next.sessionId).toBe(decodeJwt(accessToken)['sid']);
    expect((await ask('GET', '/api/auth/me', { token: next.accessToken })).status).toBe(200);
  });

  it('ends the session when a spent token comes back after the window', async () => {
    const person = await signUp(ask);
    const next = tokensOf((await refresh(person.refreshToken)).body);

    // Within the window, two seconds here, it gets the identical successor; then it is a theft.
    await eventually(async () => {
      expect(await refresh(person.refreshToken)).toEqual(problem(401, 'invalid_refresh_token'));
    });
    expect(await refresh(next.refreshToken)).toEqual(problem(401, 'invalid_refresh_token'));
    for (const token of [person.accessToken, next.accessToken]) {
      expect(await ask('GET', '/api/auth/me', { token })).toEqual(problem(401, 'invalid_token'));
    }
  });

  it('refuses what is no refresh token', async () => {
    expect(await refresh('jn_rt_unknown')).toEqual(problem(401, 'invalid_refresh_token'));
    expect(await refresh('')).toEqual(problem(400, 'invalid_request'));
    expect(await refresh(undefined)).toEqual(problem(400, 'invalid_request'));
  });
});

describe('POST /api/auth/logout', () => {
  it('ends the session of the access token at once', async () => {
    const { accessToken: token, refreshToken } = await signUp(ask);
    expect((await ask('POST', '/api/auth/logout', { token })).status).toBe(204);

    expect(await ask('GET', '/api/auth/me', { token })).toEqual(problem(401, 'invalid_token'));
    expect(
      (await ask('POST', '/api/auth/refresh', { json: { refresh_token: refreshToken } })).status,
    ).toBe(401);
  });

  it('leaves the other sessions of the user alone, unless their refresh token is given', async () => {
    const person = await signUp(ask);
    const [second, third] = [await logIn(ask, person), await logIn(ask, person)];
    const logout = await ask('POST', '/api/auth/logout', {
      token: person.accessToken,
      json: { refresh_token: second.refreshToken },
    });

    expect(logout.status).toBe(204);
    expect((await ask('GET', '/api/auth/me', { token: second.accessToken })).status).toBe(401);
    expect((await ask('GET', '/api/auth/me', { token: third.accessToken })).status).toBe(200);
  });

  it('that races an exchange leaves no live token', async () => {
    const { accessToken: token, refreshToken: refresh_token } = await signUp(ask);
    const [exchange] = await Promise.all([
      ask('POST', '/api/auth/refresh', { json: { refresh_token } }),
      ask('POST', '/api/auth/logout', { token }),
    ]);

    const tokens = [token];
    if (exchange.status === 200) tokens.push(tokensOf(exchange.body).accessToken);
    for (const token of tokens) {
      expect((await ask('GET', '/api/auth/me', { token })).status).toBe(401);
    }
  });
});

describe('/api/auth/sessions', () => {
  const sessionsOf = async (token: string): Promise<readonly Session[]> => {
    const { status, body } = await ask('GET', '/api/auth/sessions', { token });
    expect(status).toBe(200);
    return (body as { items: readonly Session[] }).items;
  };
  interface Session {
    readonly id: string;
    readonly device: string | null;
    readonly is_current: boolean;
    readonly last_used_at: string;
  }

  it('lists where one is signed in, and on what', async () => {
    const person = newCredentials();
    await ask('POST', '/api/auth/register', { json: person });
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const headers = { 'user-agent': userAgent };
    const { body } = await ask('POST', '/api/auth/login', { json: person, headers });
    const { accessToken: token, refreshToken } = tokensOf(body);
    const before = await sessionsOf(token);
    expect(before).toMatchObject([{ device: 'Firefox on Linux', is_current: true }]);

    const other = await logIn(ask, person);
    expect((await sessionsOf(token)).map(({ is_current }) => is_current)).toEqual([false, true]);
    await ask('POST', '/api/auth/refresh', { json: { refresh_token: refreshToken } });
    const [used] = await sessionsOf(other.accessToken);
    expect(used).toMatchObject({ id: before[0]?.id, is_current: false });
    expect(used?.last_used_at).not.toBe(before[0]?.last_used_at);
  });

  it('ends one of them, and nobody else', async () => {
    const person = await signUp(ask);
    const [mine, stolen, stranger] = [person, await logIn(ask, person), await signUp(ask)];
    const [id] = (await sessionsOf(mine.accessToken))
      .filter(({ is_current }) => !is_current)
      .map((session) => session.id);
    const end = async (token: string) => ask('DELETE', `/api/auth/sessions/${id}`, { token });
    expect((await end(stranger.accessToken)).status).toBe(204);
    expect((await ask('GET', '/api/auth/me', { token: stolen.accessToken })).status).toBe(200);
    expect((await end(mine.accessToken)).status).toBe(204);
    expect((await end(mine.accessToken)).status).toBe(204);
    expect((await ask('GET', '/api/auth/me', { token: stolen.accessToken })).status).toBe(401);
    const refresh = { json: { refresh_token: stolen.refreshToken } };
    expect(await ask('POST', '/api/auth/refresh', refresh)).toEqual(
      problem(401, 'invalid_refresh_token'),
    );
    expect(await sessionsOf(mine.accessToken)).toHaveLength(1);
  });

  it('ends all others, or all', async () => {
    const person = await signUp(ask);
    for (let n = 1; n <= 2; n++) await logIn(ask, person);
    const { accessToken: token } = person;
    expect((await ask('DELETE', '/api/auth/sessions', { token })).status).toBe(204);
    expect(await sessionsOf(token)).toMatchObject([{ is_current: true }]);
    expect((await ask('DELETE', '/api/auth/sessions?include_current=yes', { token })).status).toBe(
      400,
    );
    const all = '/api/auth/sessions?include_current=true';
    expect((await ask('DELETE', all, { token })).status).toBe(204);
    expect((await ask('GET', '/api/auth/me', { token })).status).toBe(401);
  });
});

describe('/api/auth/me', () => {
  it('tells who is asking', async () => {
    const { id, email, accessToken: token } = await signUp(ask);
    const { status, body } = await ask('GET', '/api/auth/me', { token });
    expect(status).toBe(200);
    const created_at = expect.stringMatching(/^\d{4}-.*Z$/);
    const none = { email_verified: false, second_factor: false, passkeys: 0 };
    const begun = { role: 'user', origin: 'password', has_password: true };
    expect(body).toEqual({ user: { id, email, created_at, ...begun, ...none } });
  });

  it('can be deleted: every token is dead at once, and the address free again', async () => {
    const person = await signUp(ask);
    const other = await logIn(ask, person);
    const end = (json: object) =>
      ask('DELETE', '/api/auth/me', { token: person.accessToken, json });
    expect(await end({})).toEqual(problem(403, 'password_required'));
    expect(await end({ password: 'wrong' })).toEqual(problem(403, 'invalid_password'));
    const deletion = await end({ password: person.password });
    expect(deletion.status).toBe(200);
    expect(deletion.body).toEqual({
      receipt_id: expect.stringMatching(/^rcp_[\w-]{22}$/),
      deleted_at: expect.any(String),
      erased: { sessions: 2, api_keys: 0, passkeys: 0 },
    });
    const { receipt_id } = deletion.body as { receipt_id: string };
    const receipt = await ask('GET', `/api/auth/deletion-receipts/${receipt_id}`);
    expect(receipt.body).toMatchObject({
      services: { auth: { sessions: 2 }, integrations: null, 'webhook-dispatcher': null },
      complete: false,
    });
    expect(JSON.stringify(receipt.body)).not.toContain(person.id);
    expect((await ask('GET', '/api/auth/deletion-receipts/rcp_unknown')).status).toBe(404);

    for (const token of [person.accessToken, other.accessToken]) {
      expect((await ask('GET', '/api/auth/me', { token })).status).toBe(401);
    }
    const { email, password } = person;
    expect((await ask('POST', '/api/auth/login', { json: { email, password } })).status).toBe(401);
    expect((await ask('POST', '/api/auth/register', { json: { email, password } })).status).toBe(
      201,
    );
  });

  it('is closed without a token, with a broken and with a foreign one', async () => {
    const none = await ask('GET', '/api/auth/me');
    expect(none).toEqual(problem(401, 'unauthenticated'));
    expect(none.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);

    const { accessToken } = await signUp(ask);
    const foreign = `${accessToken.slice(0, -6)}AAAAAA`;
    const none256 = `${btoa('{"alg":"none","typ":"at+jwt"}')}.${accessToken.split('.')[1]}.`;
    for (const token of ['nonsense', foreign, none256, `jn_live_${'0'.repeat(32)}_x_y`]) {
      const answer = await ask('GET', '/api/auth/me', { token });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    const basic = { authorization: `Basic ${btoa('a:b')}` };
    expect((await ask('GET', '/api/auth/me', { headers: basic })).status).toBe(401);
  });
});

describe('a bad request', () => {
  const json = { 'content-type': 'application/json' };

  it('gets 400 for malformed JSON and for JSON that is no object', async () => {
    for (const text of ['{"email":', '[]', '"text"', 'null']) {
      const answer = await ask('POST', '/api/auth/login', { text, headers: json });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
  });

  it('gets 415 for another content type and 413 for a body over 256 KB', async () => {
    const text = JSON.stringify(newCredentials());
    const headers = { 'content-type': 'text/plain' };
    expect((await ask('POST', '/api/auth/login', { text, headers })).status).toBe(415);

    const large = { json: { email: 'x'.repeat(257 * 1_024), password: 'password' } };
    expect((await ask('POST', '/api/auth/login', large)).status).toBe(413);
  });

  it('gets 405 with Allow for another method and 404 for another path', async () => {
    const answer = await ask('PUT', '/api/auth/login', { json: {} });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect((await ask('GET', '/api/auth/nothing')).status).toBe(404);
    expect((await ask('POST', '/api/auth/logout-all', { json: {} })).status).toBe(404);
  });
});

const fieldsOf = (body: unknown): string[] =>
  (body as { errors: { field: string }[] }).errors.map(({ field }) => field).sort();
