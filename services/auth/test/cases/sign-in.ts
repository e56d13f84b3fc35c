import { describe, expect, it } from '@jest/globals';
import { PUBLIC_URL } from '@junction/testing';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { logIn, newCredentials, problem, signUp, tokensOf } from '../http-client.js';
import type { UsedAuth } from '../started-auth.js';

interface Session {
  readonly id: string;
  readonly device: string | null;
  readonly is_current: boolean;
  readonly last_used_at: string;
}

export function signInCases({ ask }: UsedAuth): void {
  const refresh = (refresh_token: unknown) =>
    ask('POST', '/api/auth/refresh', { json: { refresh_token } });
  const me = async (token: string) => (await ask('GET', '/api/auth/me', { token })).status;
  const sessionsOf = async (token: string): Promise<readonly Session[]> => {
    const { status, body } = await ask('GET', '/api/auth/sessions', { token });
    expect(status).toBe(200);
    return (body as { items: readonly Session[] }).items;
  };

  describe('POST /api/auth/register', () => {
    it('makes a user of an address, written in whatever way, and refuses it a second time', async () => {
      const { email, password } = newCredentials();
      const json = { email: `  ${email.toUpperCase()} `, password };
      const { status, body } = await ask('POST', '/api/auth/register', { json });
      expect(status).toBe(201);
      expect(body).toEqual({ user: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), email } });
      expect(await ask('POST', '/api/auth/register', { json })).toEqual(
        problem(409, 'email_taken'),
      );
    });

    it('names every field that is wrong, and none of their values', async () => {
      const json = { email: 'nobody', password: 'short', admin: true };
      const { status, body } = await ask('POST', '/api/auth/register', { json });
      expect(status).toBe(400);
      const { errors } = body as { errors: { field: string }[] };
      expect(errors.map(({ field }) => field).sort()).toEqual(['admin', 'email', 'password']);
      expect(JSON.stringify(body)).not.toContain('short');
    });
  });

  describe('POST /api/auth/login', () => {
    it('gives an access token for ten minutes, and no cookie', async () => {
      const { id, email, password } = await signUp(ask);
      const answer = await ask('POST', '/api/auth/login', { json: { email, password } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(answer.body).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 600,
        refresh_token: expect.any(String),
      });
      const { accessToken } = tokensOf(answer.body);
      expect(decodeProtectedHeader(accessToken)).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt' });
      expect(decodeJwt(accessToken)).toMatchObject({
        iss: PUBLIC_URL,
        aud: 'junction-api',
        sub: id,
        sid: expect.stringMatching(/^ses_/),
      });
    });

    it('says the same to a wrong password and to an unknown address', async () => {
      const { email } = await signUp(ask);
      const password = 'not the one';
      const attempt = (json: object) => ask('POST', '/api/auth/login', { json });
      const wrong = await attempt({ email, password });
      const unknown = await attempt({ ...newCredentials(), password });
      expect(wrong).toEqual(problem(401, 'invalid_credentials'));
      expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer/);
      const { request_id: _, ...words } = wrong.body as Record<string, unknown>;
      expect(unknown.body).toMatchObject(words);
    });
  });

  describe('POST /api/auth/refresh', () => {
    it('exchanges a token for the next one of the same session', async () => {
      const { refreshToken, sessionId } = await signUp(ask);
      const { status, body } = await refresh(refreshToken);
      expect(status).toBe(200);
      const next = tokensOf(body);
      expect(next.refreshToken).not.toBe(refreshToken);
      expect(next.sessionId).toBe(sessionId);
      expect(await me(next.accessToken)).toBe(200);
    });

    it('refuses what is no refresh token', async () => {
      expect(await refresh('jn_rt_unknown')).toEqual(problem(401, 'invalid_refresh_token'));
      expect(await refresh('')).toEqual(problem(400, 'invalid_request'));
      expect(await refresh(undefined)).toEqual(problem(400, 'invalid_request'));
    });
  });

  describe('POST /api/auth/logout', () => {
    it('ends the session of the access token at once, and that of a refresh token with it', async () => {
      const person = await signUp(ask);
      const [second, third] = [await logIn(ask, person), await logIn(ask, person)];
      const { accessToken: token } = person;
      const json = { refresh_token: second.refreshToken };
      expect((await ask('POST', '/api/auth/logout', { token, json })).status).toBe(204);
      expect(await ask('GET', '/api/auth/me', { token })).toEqual(problem(401, 'invalid_token'));
      expect((await refresh(person.refreshToken)).status).toBe(401);
      expect([await me(second.accessToken), await me(third.accessToken)]).toEqual([401, 200]);
    });
  });

  describe('/api/auth/sessions', () => {
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
      await refresh(refreshToken);
      const [used] = await sessionsOf(other.accessToken);
      expect(used).toMatchObject({ id: before[0]?.id, is_current: false });
      expect(used?.last_used_at).not.toBe(before[0]?.last_used_at);
    });

    it('ends one of them, all others, or all, and nobody else’s', async () => {
      const person = await signUp(ask);
      const { accessToken: token } = person;
      const [one, stranger] = [await logIn(ask, person), await signUp(ask)];
      const path = `/api/auth/sessions/${one.sessionId}`;
      const end = async (token: string, at = path) => (await ask('DELETE', at, { token })).status;
      expect([await end(stranger.accessToken), await me(one.accessToken)]).toEqual([204, 200]);
      expect([await end(token), await end(token)]).toEqual([204, 204]);
      expect([await me(one.accessToken), (await refresh(one.refreshToken)).status]).toEqual([
        401, 401,
      ]);

      for (let n = 1; n <= 2; n++) await logIn(ask, person);
      expect(await end(token, '/api/auth/sessions')).toBe(204);
      expect(await sessionsOf(token)).toMatchObject([{ is_current: true }]);
      const all = '/api/auth/sessions?include_current';
      expect(await end(token, `${all}=yes`)).toBe(400);
      expect([await end(token, `${all}=true`), await me(token)]).toEqual([204, 401]);
    });
  });

  describe('/api/auth/me', () => {
    it('tells who is asking', async () => {
      const { id, email, accessToken: token } = await signUp(ask);
      const { status, body } = await ask('GET', '/api/auth/me', { token });
      expect(status).toBe(200);
      const created_at = expect.stringMatching(/^\d{4}-.*Z$/);
      const none = { email_verified: false, second_factor: false, passkeys: 0, sends_mail: false };
      const begun = { role: 'user', origin: 'password', has_password: true, trouble_mails: true };
      const user = { id, email, created_at, ...begun, ...none };
      expect(body).toEqual({ user: { ...user, first_steps_closed: false } });

      const json = { first_steps_closed: true };
      for (const _ of ['once', 'again']) {
        const closed = await ask('PATCH', '/api/auth/me', { token, json });
        expect(closed).toMatchObject({ status: 200, body: { user: { ...user, ...json } } });
      }
    });

    it('can be deleted with the password alone, for a receipt that names nobody', async () => {
      const person = await signUp(ask);
      const { accessToken: token } = person;
      const end = (json: object) => ask('DELETE', '/api/auth/me', { token, json });
      expect(await end({})).toEqual(problem(403, 'password_required'));
      expect(await end({ password: 'wrong' })).toEqual(problem(403, 'invalid_password'));
      const deletion = await end({ password: person.password });
      expect(deletion.status).toBe(200);
      expect(deletion.body).toEqual({
        receipt_id: expect.stringMatching(/^rcp_[\w-]{22}$/),
        deleted_at: expect.any(String),
        erased: { sessions: 1, api_keys: 0, passkeys: 0 },
      });
      const { receipt_id } = deletion.body as { receipt_id: string };
      const receipt = await ask('GET', `/api/auth/deletion-receipts/${receipt_id}`);
      expect(receipt.body).toMatchObject({
        services: { auth: { sessions: 1 }, integrations: null, 'webhook-dispatcher': null },
        complete: false,
      });
      expect(JSON.stringify(receipt.body)).not.toContain(person.id);
      expect((await ask('GET', '/api/auth/deletion-receipts/rcp_unknown')).status).toBe(404);
      expect(await me(token)).toBe(401);
    });
  });

  describe('auth without an SMTP server', () => {
    it('says so, whoever is asked about, and keeps nothing to be mailed', async () => {
      const { email, accessToken: token } = await signUp(ask);
      for (const address of [email, newCredentials().email]) {
        const json = { email: address };
        expect(await ask('POST', '/api/auth/forgot-password', { json })).toEqual(
          problem(503, 'mail_unavailable'),
        );
      }
      const resend = await ask('POST', '/api/auth/verify-email/resend', { token, json: {} });
      expect(resend.status).toBe(503);
    });
  });
}
