import { describe, expect, it } from '@jest/globals';
import { PUBLIC_URL } from '@junction/testing';
import { TOTP } from 'otpauth';
import { addTotp } from '../add-totp.js';
import { type Answer, OWN_PAGE, signUp } from '../http-client.js';
import { softwareAuthenticator } from '../software-authenticator.js';
import type { UsedAuth } from '../started-auth.js';

const AT_STAKE = [
  ['POST', '/api/auth/api-keys'],
  ['POST', '/api/auth/api-keys/key_1/rotate'],
  ['POST', '/api/auth/change-email'],
  ['POST', '/api/auth/change-password'],
  ['DELETE', '/api/auth/me'],
  ['POST', '/api/auth/totp'],
  ['POST', '/api/auth/totp/confirm'],
  ['DELETE', '/api/auth/totp'],
  ['POST', '/api/auth/recovery-codes'],
  ['POST', '/api/auth/passkeys/registration-options'],
  ['POST', '/api/auth/passkeys'],
  ['DELETE', '/api/auth/passkeys/pky_1'],
] as const;

type Challenge = { challenge_id: string; options: { challenge: string } };

/** Makes a passkey for a challenge of ours, and returns the request that adds it. */
async function newPasskey(post: (path: string, json: object) => Promise<Answer>) {
  const site = new URL(PUBLIC_URL);
  const device = softwareAuthenticator({ origin: site.origin, rpId: site.hostname });
  const { body } = await post('/registration-options', {});
  const { challenge_id, options } = body as Challenge;
  const json = { challenge_id, name: 'phone', response: device.create(options.challenge) };
  return { device, json };
}

export function secondFactorCases({ ask, database }: UsedAuth): void {
  describe('second factors over HTTP', () => {
    it('are an authenticator with recovery codes, asked for at each sign-in', async () => {
      const person = await signUp(ask);
      const token = person.accessToken;
      const offered = await ask('POST', '/api/auth/totp', { token, json: {} });
      const { secret, otpauth_uri } = offered.body as { secret: string; otpauth_uri: string };
      expect(otpauth_uri).toMatch(/^otpauth:\/\/totp\/Junction:/);
      const json = { code: new TOTP({ secret }).generate() };
      const confirmed = await ask('POST', '/api/auth/totp/confirm', { token, json });
      expect(confirmed.status).toBe(200);
      const { recovery_codes, tokens } = confirmed.body as {
        recovery_codes: string[];
        tokens: { access_token: string };
      };
      expect((await ask('GET', '/api/auth/me', { token })).status).toBe(401);
      const fresh = tokens.access_token;
      expect((await ask('GET', '/api/auth/me', { token: fresh })).body).toMatchObject({
        user: { second_factor: true, passkeys: 0 },
      });
      expect((await ask('GET', '/api/auth/second-factors', { token: fresh })).body).toEqual({
        totp: { created_at: expect.any(String) },
        passkeys: [],
        recovery_codes_left: 10,
      });

      const login = { email: person.email, password: person.password };
      const waiting = await ask('POST', '/api/auth/login', { json: login });
      expect(waiting).toMatchObject({
        status: 403,
        body: {
          code: 'second_factor_required',
          mfa_token: expect.stringMatching(/^jn_mfa_/),
          methods: ['totp', 'recovery_code'],
          expires_in: 300,
        },
      });
      const { mfa_token } = waiting.body as { mfa_token: string };
      const step = async (proof: object) =>
        ask('POST', '/api/auth/login/second-factor', { json: { mfa_token, ...proof } });
      expect((await step({ totp_code: json.code })).status).toBe(401);
      expect((await step({})).status).toBe(400);
      expect((await step({ totp_code: '1', recovery_code: '2' })).status).toBe(400);
      const done = await step({ recovery_code: recovery_codes[0] });
      expect(done).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    });

    it('are asked for again, a quarter of an hour later, where most is at stake', async () => {
      const { accessToken, id } = await signUp(ask);
      const { recoveryCodes, refreshToken: refresh_token } = await addTotp(ask, accessToken);
      await database().pool.query(
        `update session_factors set proved_at = now() - interval '16 minutes'
          where session_id in (select session_id from sessions where user_id = $1)`,
        [id],
      );
      const refreshed = await ask('POST', '/api/auth/refresh', { json: { refresh_token } });
      const { access_token: old } = refreshed.body as { access_token: string };
      for (const [method, path] of AT_STAKE) {
        const { status, body, headers } = await ask(method, path, { token: old, json: {} });
        expect([path, status, body]).toEqual([
          path,
          401,
          expect.objectContaining({ code: 'insufficient_user_authentication' }),
        ]);
        expect(headers.get('www-authenticate')).toBe(
          'Bearer realm="junction", error="insufficient_user_authentication", max_age="900"',
        );
      }
      expect((await ask('GET', '/api/auth/me', { token: old })).status).toBe(200);

      const json = { recovery_code: recoveryCodes[0] };
      const shown = await ask('POST', '/api/auth/step-up', { token: old, json });
      const { access_token: fresh } = shown.body as { access_token: string };
      const named = { token: fresh, json: { name: 'laptop' } };
      expect((await ask('POST', '/api/auth/api-keys', named)).status).toBe(201);
    });

    it('are passkeys, of which a repeated request adds one', async () => {
      const { accessToken } = await signUp(ask);
      const { accessToken: token } = await addTotp(ask, accessToken);
      const headers = { 'idempotency-key': 'phone' };
      const post = async (path: string, json: object) =>
        ask('POST', `/api/auth/passkeys${path}`, { token, json, headers });
      const { json } = await newPasskey(post);
      const added = await post('', json);
      expect(added).toMatchObject({ status: 201, body: { passkey: { last_used_at: null } } });
      expect(await post('', json)).toMatchObject({ status: 201, body: added.body });
      const { passkey } = added.body as { passkey: object };
      const { body } = await ask('GET', '/api/auth/second-factors', { token });
      expect(body).toMatchObject({ passkeys: [passkey] });
    });

    it('are passkeys, which sign a browser in by themselves', async () => {
      const { accessToken: token, id } = await signUp(ask);
      const post = async (path: string, json: object) =>
        ask('POST', `/api/auth/passkeys${path}`, { token, json });
      const { device, json } = await newPasskey(post);
      const added = await post('', json);
      expect(added).toMatchObject({
        status: 201,
        body: { passkey: { name: 'phone' }, recovery_codes: expect.any(Array) },
      });

      const asked = await ask('POST', '/api/auth/passkeys/authentication-options', { json: {} });
      const challenge = asked.body as Challenge;
      const answer = await ask('POST', '/api/auth/session/passkey', {
        headers: OWN_PAGE,
        json: {
          challenge_id: challenge.challenge_id,
          response: device.get(challenge.options.challenge),
        },
      });
      expect(answer).toMatchObject({ status: 200, body: { user_id: id } });
      expect(JSON.stringify(answer.body)).not.toContain('token');
      const cookies = answer.headers.getSetCookie();
      expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
        '__Host-jn_at',
        '__Secure-jn_rt',
        '__Secure-jn_in',
        '__Secure-jn_kb',
      ]);
      const cookie = cookies.map((one) => one.split(';')[0]).join('; ');
      const stepped = await ask('POST', '/api/auth/passkeys/authentication-options', { json: {} });
      const again = stepped.body as Challenge;
      const proof = {
        challenge_id: again.challenge_id,
        response: device.get(again.options.challenge),
      };
      const stepUp = await ask('POST', '/api/auth/step-up', {
        headers: { ...OWN_PAGE, cookie },
        json: { passkey: proof },
      });
      expect(stepUp).toMatchObject({ status: 200, body: { expires_in: 600 } });
      expect(stepUp.headers.getSetCookie().map((one) => one.split('=')[0])).toEqual([
        '__Host-jn_at',
      ]);
    });
  });
}
