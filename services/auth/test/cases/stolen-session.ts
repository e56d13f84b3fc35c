import { describe, expect, it } from '@jest/globals';
import { addTotp } from '../add-totp.js';
import { type Person, signUp } from '../http-client.js';
import type { UsedAuth } from '../started-auth.js';

/** Requests whose result opens the account after the session has ended, or takes all of it along. */
const LASTING = [
  ['POST', '/api/auth/totp', {}],
  ['POST', '/api/auth/totp/confirm', { code: '123456' }],
  ['POST', '/api/auth/passkeys/registration-options', {}],
  ['POST', '/api/auth/passkeys', { challenge_id: 'one', name: 'theirs', response: {} }],
  ['POST', '/api/auth/api-keys', { name: 'theirs' }],
  ['POST', '/api/auth/api-keys/key_1/rotate', {}],
  ['GET', '/api/auth/export', undefined],
] as const;

export function stolenSessionCases({ ask, database }: UsedAuth): void {
  /** A user without a second factor, who signed in eleven minutes ago and refreshed since. */
  const oldSession = async () => {
    const person = await signUp(ask);
    await database().pool.query(
      `update sessions set started_at = now() - interval '11 minutes' where session_id = $1`,
      [person.sessionId],
    );
    const refresh = refresher(person);
    return { ...person, token: await refresh(), refresh };
  };

  /** Gets an access token by the refresh token of the last time. */
  const refresher = ({ refreshToken }: Person): (() => Promise<string>) => {
    let refresh_token = refreshToken;
    return async () => {
      const { body } = await ask('POST', '/api/auth/refresh', { json: { refresh_token } });
      const tokens = body as { access_token: string; refresh_token: string };
      ({ refresh_token } = tokens);
      return tokens.access_token;
    };
  };

  describe('a session that was stolen', () => {
    it('adds no factor and no API key, and exports nothing, when the sign-in was more than ten minutes ago', async () => {
      const { token } = await oldSession();
      for (const [method, path, json] of LASTING) {
        const { status, body, headers } = await ask(method, path, { token, ...(json && { json }) });
        expect([path, status, body]).toEqual([
          path,
          401,
          expect.objectContaining({ code: 'insufficient_user_authentication' }),
        ]);
        expect(headers.get('www-authenticate')).toBe(
          'Bearer realm="junction", error="insufficient_user_authentication", max_age="600"',
        );
      }
      const factors = await ask('GET', '/api/auth/second-factors', { token });
      expect(factors.body).toEqual({ totp: null, passkeys: [], recovery_codes_left: 0 });
      expect((await ask('GET', '/api/auth/me', { token })).status).toBe(200);
    });

    it('does so once the password is shown, in the tokens of a later refresh too', async () => {
      const { token, password, refresh } = await oldSession();
      const wrong = { token, json: { password: `not ${password}` } };
      expect(await ask('POST', '/api/auth/step-up', wrong)).toMatchObject({
        status: 403,
        body: { code: 'invalid_password' },
      });
      const shown = await ask('POST', '/api/auth/step-up', { token, json: { password } });
      expect(shown).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
      const { access_token } = shown.body as { access_token: string };
      const key = { json: { name: 'laptop' } };
      const made = await ask('POST', '/api/auth/api-keys', { token: access_token, ...key });
      expect(made.status).toBe(201);
      const again = await ask('POST', '/api/auth/api-keys', { token: await refresh(), ...key });
      expect(again.status).toBe(201);
      expect(await addTotp(ask, await refresh())).toMatchObject({ secret: expect.any(String) });
    });

    it('is not helped by the password where the account has a second factor', async () => {
      const person = await signUp(ask);
      const { accessToken: token } = await addTotp(ask, person.accessToken);
      const json = { password: person.password };
      const shown = await ask('POST', '/api/auth/step-up', { token, json });
      expect(shown).toMatchObject({ status: 401, body: { code: 'invalid_second_factor' } });
    });
  });
}
