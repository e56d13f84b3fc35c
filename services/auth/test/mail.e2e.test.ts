import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DevMail, startDevMail } from '@junction/dev-servers/mail';
import { eventually, exportedMetrics, PUBLIC_URL, undescribed } from '@junction/testing';
import { secretCases } from './cases/secrets.js';
import { logIn, newCredentials, OWN_PAGE, problem, signUp, tokensOf } from './http-client.js';
import { useAuth } from './started-auth.js';

const NEW_PASSWORD = 'another horse battery';

let server: DevMail;
beforeAll(async () => {
  server = await startDevMail();
});
afterAll(async () => server.close());
const started = useAuth(() => ({
  SMTP_URL: server.smtpUrl,
  REQUIRE_VERIFIED_EMAIL: 'true',
  SIGN_IN_LIMITS: 'network=100000/900',
}));
const { auth, ask } = started;
const inbox = (email: string) => server.mails(email);

const tokenTo = async (email: string, subject: string): Promise<string> =>
  eventually(async () => {
    const found = inbox(email).find((one) => one.subject === subject);
    const [, token] = /#token=([\w-]+)$/.exec(found?.links[0] ?? '') ?? [];
    if (token === undefined) throw new Error(`${email} has no mail "${subject}".`);
    return token;
  });

secretCases(started, tokenTo);

describe('auth with an SMTP server', () => {
  it('verifies, resets and exports over HTTP', async () => {
    const { email, accessToken: token } = await signUp(ask);
    expect((await ask('GET', '/api/auth/me', { token })).body).toMatchObject({
      user: { email, email_verified: false },
    });
    const verification = await tokenTo(email, 'Verify your e-mail address');
    expect(inbox(email)[0]?.links[0]).toContain(`${PUBLIC_URL}/verify-email#token=`);
    const proofs = (json: object) =>
      ask('POST', '/api/auth/verify-email', { json: { token: verification, ...json } });
    expect(await proofs({})).toEqual(problem(403, 'registrant_unknown'));
    expect((await proofs({ password: 'x', new_password: NEW_PASSWORD })).status).toBe(400);
    const verify = { token, json: { token: verification } };
    expect((await ask('POST', '/api/auth/verify-email', verify)).status).toBe(204);
    expect(await ask('POST', '/api/auth/verify-email', verify)).toEqual(
      problem(400, 'invalid_or_used_token'),
    );
    expect((await ask('GET', '/api/auth/me', { token })).body).toMatchObject({
      user: { email_verified: true },
    });

    const forgotten = await ask('POST', '/api/auth/forgot-password', { json: { email } });
    const unknown = await ask('POST', '/api/auth/forgot-password', {
      json: { email: newCredentials().email },
    });
    expect([forgotten.status, forgotten.body]).toEqual([202, {}]);
    expect([unknown.status, unknown.body]).toEqual([202, {}]);
    const reset = await tokenTo(email, 'Reset your password');
    for (const [new_password, status] of [
      ['password', 400],
      [NEW_PASSWORD, 204],
      [NEW_PASSWORD, 400],
    ] as const) {
      const json = { token: reset, new_password };
      expect((await ask('POST', '/api/auth/reset-password', { json })).status).toBe(status);
    }
    expect((await ask('GET', '/api/auth/me', { token })).status).toBe(401);

    const { accessToken } = await logIn(ask, { email, password: NEW_PASSWORD });
    const exported = await ask('GET', '/api/auth/export', { token: accessToken });
    expect(exported.headers.get('content-disposition')).toContain('junction-account.json');
    expect(exported.body).toMatchObject({
      user: { email },
      sessions: [{ id: expect.stringMatching(/^ses_/) }],
      api_keys: [],
      second_factors: { totp: null, passkeys: [], recovery_codes_left: 0 },
      history: [
        { type: 'user.registered', email },
        { type: 'user.email_verified' },
        { type: 'user.password_changed', reason: 'reset' },
        { type: 'user.recovered', reason: 'reset' },
      ],
    });
  });

  it('sends the link to a browser that was signed in, whatever others have asked', async () => {
    const { email, password } = await signUp(ask);
    const json = { token: await tokenTo(email, 'Verify your e-mail address'), password };
    await ask('POST', '/api/auth/verify-email', { json });
    const signIn = { json: { email, password }, headers: OWN_PAGE };
    const signedIn = await ask('POST', '/api/auth/session', signIn);
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0] ?? '')
      .find((pair) => pair.startsWith('__Secure-jn_kb='));
    expect(cookie).not.toContain(Buffer.from(email).toString('base64url'));

    const forgot = async (headers: Readonly<Record<string, string>> = {}) =>
      (await ask('POST', '/api/auth/forgot-password', { json: { email }, headers })).status;
    const resets = () => inbox(email).filter(({ subject }) => subject === 'Reset your password');
    for (let n = 0; n < 7; n++) expect(await forgot()).toBe(202);
    // The mail that verifies the address was the first of five in this hour.
    await eventually(() => expect(resets()).toHaveLength(4));
    expect(await forgot({ cookie: '__Secure-jn_kb=forged' })).toBe(202);
    expect(await forgot({ cookie: cookie ?? '' })).toBe(202);
    await eventually(() => expect(resets()).toHaveLength(5));
    expect(new Set(resets().map(({ links }) => links[0])).size).toBe(1);
  });

  it('leads to the page that stops mails, with the token and nothing else of the url', async () => {
    const { headers } = await ask('GET', '/api/auth/unsubscribe?token=a%26token%3Db%23c%25');
    expect(headers.get('location')).toBe(`${PUBLIC_URL}/unsubscribe#token=a%26token%3Db%23c%25`);
  });

  it('lets an account make API keys once its address is verified', async () => {
    const { email, password, accessToken: token, refreshToken } = await signUp(ask);
    const make = (token: string) =>
      ask('POST', '/api/auth/api-keys', { token, json: { name: 'laptop' } });
    expect(await make(token)).toEqual(problem(403, 'email_unverified'));
    const json = { token: await tokenTo(email, 'Verify your e-mail address'), password };
    expect((await ask('POST', '/api/auth/verify-email', { json })).status).toBe(204);
    const refresh = { json: { refresh_token: refreshToken } };
    const refreshed = tokensOf((await ask('POST', '/api/auth/refresh', refresh)).body);
    expect((await make(refreshed.accessToken)).status).toBe(201);
  });

  it('verifies an address by the session of a browser, on our own pages', async () => {
    const { email, accessToken } = await signUp(ask);
    const json = { token: await tokenTo(email, 'Verify your e-mail address') };
    const cookie = `__Host-jn_at=${accessToken}`;
    const verify = (headers: object) =>
      ask('POST', '/api/auth/verify-email', { json, headers: { cookie, ...headers } });
    expect(await verify({})).toEqual(problem(403, 'csrf_check_failed'));
    // A credential that is shown counts, or is refused: nothing goes on as if there was none.
    const shown = await ask('POST', '/api/auth/verify-email', { json, token: 'no-token' });
    expect(shown).toEqual(problem(401, 'invalid_token'));
    expect((await verify(OWN_PAGE)).status).toBe(204);
  });
});

describe('the link of the mail about a change', () => {
  it('takes the change back, once', async () => {
    const { email, password } = await signUp(ask);
    const verification = await tokenTo(email, 'Verify your e-mail address');
    await ask('POST', '/api/auth/verify-email', { json: { token: verification, password } });
    const { accessToken: token } = await logIn(ask, { email, password });
    const made = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'theirs' } });
    const { key } = made.body as { key: string };

    const undo = { token: await tokenTo(email, 'An API key was made') };
    const [mail] = inbox(email);
    expect(mail?.links).toEqual([`${PUBLIC_URL}/undo-changes#token=${undo.token}`]);
    const preview = await ask('POST', '/api/auth/undo-changes/preview', { json: undo });
    expect(preview.body).toEqual({
      changes: [{ kind: 'api_key_created', changed_at: expect.any(String) }],
    });
    const undone = async () =>
      ask('POST', '/api/auth/undo-changes', { json: { ...undo, new_password: NEW_PASSWORD } });
    expect((await undone()).status).toBe(204);
    expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(401);
    expect(await undone()).toEqual(problem(400, 'invalid_or_used_token'));
    await expect(logIn(ask, { email, password: NEW_PASSWORD })).resolves.toBeDefined();
  });
});

it('every metric is described in docs/metrics.md, and what was mailed is counted', async () => {
  expect(await undescribed(auth().url, 'auth')).toEqual([]);
  const mails = (await exportedMetrics(auth().url)).find(
    ({ name }) => name === 'junction_mails_total',
  );
  expect(mails?.series).toEqual([expect.stringMatching(/outcome="sent".* [1-9]/)]);
});
