import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DevMail, startDevMail } from '@junction/dev-servers/mail';
import {
  eventually,
  exportedMetrics,
  undescribed,
  useBroker,
  useDatabase,
} from '@junction/testing';
import { TOTP } from 'otpauth';
import { askOf, logIn, newCredentials, signUp, tokensOf } from './http-client.js';
import { authSchema } from './schema.js';
import { PUBLIC_URL, type StartedAuth, startAuth } from './started-auth.js';

const NEW_PASSWORD = 'another horse battery';

const [database, silentDatabase] = [useDatabase(authSchema), useDatabase(authSchema)];
const broker = useBroker();
let mail: DevMail;
let auth: StartedAuth;
let silent: StartedAuth;
beforeAll(async () => {
  mail = await startDevMail();
  [auth, silent] = await Promise.all([
    startAuth(database(), broker, { SMTP_URL: mail.smtpUrl, REQUIRE_VERIFIED_EMAIL: 'true' }),
    startAuth(silentDatabase(), broker),
  ]);
}, 90_000);
afterAll(async () => {
  await Promise.all([auth.dispose(), silent.dispose(), mail.close()]);
});

const ask = askOf(() => auth.url);
const askSilent = askOf(() => silent.url);

const tokenTo = async (email: string, subject: string): Promise<string> =>
  eventually(async () => {
    const found = mail.mails(email).find((one) => one.subject === subject);
    const [, token] = /#token=([\w-]+)$/.exec(found?.links[0] ?? '') ?? [];
    if (token === undefined) throw new Error(`${email} has no mail "${subject}".`);
    return token;
  });

describe('auth with an SMTP server', () => {
  it('verifies, resets and exports over HTTP', async () => {
    const { email, accessToken: token } = await signUp(ask);
    expect((await ask('GET', '/api/auth/me', { token })).body).toMatchObject({
      user: { email, email_verified: false },
    });
    const verification = await tokenTo(email, 'Verify your e-mail address');
    expect(mail.mails(email)[0]?.links[0]).toContain(`${PUBLIC_URL}/verify-email#token=`);
    const verify = { token, json: { token: verification } };
    expect((await ask('POST', '/api/auth/verify-email', verify)).status).toBe(204);
    expect(await ask('POST', '/api/auth/verify-email', verify)).toMatchObject({
      status: 400,
      body: { code: 'invalid_or_used_token' },
    });
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
      ],
    });
  });

  it('lets an account make API keys once its address is verified', async () => {
    const { email, password, accessToken: token, refreshToken } = await signUp(ask);
    const make = (token: string) =>
      ask('POST', '/api/auth/api-keys', { token, json: { name: 'laptop' } });
    expect(await make(token)).toMatchObject({ status: 403, body: { code: 'email_unverified' } });
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
    expect(await verify({})).toMatchObject({ status: 403, body: { code: 'csrf_check_failed' } });
    // A credential that is shown counts, or is refused: nothing goes on as if there was none.
    const shown = await ask('POST', '/api/auth/verify-email', { json, token: 'no-token' });
    expect(shown).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
    const ownPage = { 'sec-fetch-site': 'same-origin', 'x-junction-csrf': '1' };
    expect((await verify(ownPage)).status).toBe(204);
  });

  it('shows before a reset which API keys it ends, and keeps them for who says so', async () => {
    const { email, accessToken, refreshToken } = await signUp(ask);
    const verification = { token: await tokenTo(email, 'Verify your e-mail address') };
    await ask('POST', '/api/auth/verify-email', { token: accessToken, json: verification });
    const refresh = { json: { refresh_token: refreshToken } };
    const { accessToken: token } = tokensOf((await ask('POST', '/api/auth/refresh', refresh)).body);
    const made = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'laptop' } });
    const { id, key } = made.body as { id: string; key: string };
    await ask('POST', '/api/auth/forgot-password', { json: { email } });
    const reset = await tokenTo(email, 'Reset your password');
    const preview = await ask('POST', '/api/auth/reset-password/preview', {
      json: { token: reset },
    });
    expect(preview).toMatchObject({
      status: 200,
      body: {
        begins_anew: false,
        api_keys: [{ id, name: 'laptop', prefix: key.slice(0, 40), last_used_at: null }],
      },
    });
    const json = { token: reset, new_password: NEW_PASSWORD, keep_api_keys: true };
    expect((await ask('POST', '/api/auth/reset-password', { json })).status).toBe(204);
    expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(200);
  });

  it('changes password and address for whoever knows the password', async () => {
    const { email, password, accessToken: token } = await signUp(ask);
    const change = (json: object) => ask('POST', '/api/auth/change-password', { token, json });
    expect(await change({ current_password: 'x', new_password: NEW_PASSWORD })).toMatchObject({
      status: 403,
      body: { code: 'invalid_password' },
    });
    expect((await change({ current_password: password, new_password: NEW_PASSWORD })).status).toBe(
      204,
    );
    const json = { password: NEW_PASSWORD, new_email: `new-${email}` };
    expect((await ask('POST', '/api/auth/change-email', { token, json })).status).toBe(202);
    const confirmation = await tokenTo(json.new_email, 'Confirm your new e-mail address');
    const confirm = { json: { token: confirmation, password: NEW_PASSWORD } };
    expect((await ask('POST', '/api/auth/verify-email', confirm)).status).toBe(204);
    expect((await ask('GET', '/api/auth/me', { token })).body).toMatchObject({
      user: { email: json.new_email, email_verified: true },
    });
  });
});

describe('somebody with a stolen session and the password', () => {
  it('keeps neither key, factor nor address once the owner has used the link of the first mail', async () => {
    const { email, password } = await signUp(ask);
    const verification = await tokenTo(email, 'Verify your e-mail address');
    await ask('POST', '/api/auth/verify-email', { json: { token: verification, password } });
    const { accessToken: token } = await logIn(ask, { email, password });

    const made = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'theirs' } });
    const { key } = made.body as { key: string };
    const asKey = async () => (await ask('GET', '/api/auth/me', { token: key })).status;
    expect(await asKey()).toBe(200);
    const thief = `thief-of-${email}`;
    const change = { token, json: { password, new_email: thief } };
    expect((await ask('POST', '/api/auth/change-email', change)).status).toBe(202);
    const confirmation = await tokenTo(thief, 'Confirm your new e-mail address');
    await ask('POST', '/api/auth/verify-email', { token, json: { token: confirmation } });
    const { secret } = (await ask('POST', '/api/auth/totp', { token, json: {} })).body as {
      secret: string;
    };
    const json = { code: new TOTP({ secret }).generate() };
    const added = await ask('POST', '/api/auth/totp/confirm', { token, json });
    const { tokens } = added.body as { tokens: { access_token: string } };
    const theirs = await tokenTo(thief, 'A second factor was added');

    const undo = { token: await tokenTo(email, 'An API key was made') };
    const first = mail.mails(email).find(({ subject }) => subject === 'An API key was made');
    expect(first?.links).toEqual([`${PUBLIC_URL}/undo-changes#token=${undo.token}`]);
    const preview = await ask('POST', '/api/auth/undo-changes/preview', { json: undo });
    expect(preview.body).toEqual({
      changes: ['api_key_created', 'email_changed', 'factor_added'].map((kind) => ({
        kind,
        changed_at: expect.any(String),
      })),
    });
    const undone = async (token: string) =>
      ask('POST', '/api/auth/undo-changes', { json: { token, new_password: NEW_PASSWORD } });
    expect((await undone(undo.token)).status).toBe(204);

    expect(await asKey()).toBe(401);
    const session = { token: tokens.access_token };
    expect((await ask('GET', '/api/auth/me', session)).status).toBe(401);
    for (const used of [theirs, undo.token]) {
      expect(await undone(used)).toMatchObject({
        status: 400,
        body: { code: 'invalid_or_used_token' },
      });
    }
    const { accessToken } = await logIn(ask, { email, password: NEW_PASSWORD });
    expect((await ask('GET', '/api/auth/me', { token: accessToken })).body).toMatchObject({
      user: { email, second_factor: false },
    });
  });
});

it('every metric is described in docs/metrics.md, and what was mailed is counted', async () => {
  expect(await undescribed(auth.url, 'auth')).toEqual([]);
  const mails = (await exportedMetrics(auth.url)).find(
    ({ name }) => name === 'junction_mails_total',
  );
  expect(mails?.series).toEqual([expect.stringMatching(/outcome="sent".* [1-9]/)]);
});

describe('auth without one', () => {
  it('says so, whoever is asked about, and lets people sign up', async () => {
    const { email, accessToken: token } = await signUp(askSilent);
    for (const address of [email, newCredentials().email]) {
      expect(
        await askSilent('POST', '/api/auth/forgot-password', { json: { email: address } }),
      ).toMatchObject({ status: 503, body: { code: 'mail_unavailable' } });
    }
    expect(
      await askSilent('POST', '/api/auth/verify-email/resend', { token, json: {} }),
    ).toMatchObject({ status: 503 });
    const made = await askSilent('POST', '/api/auth/api-keys', { token, json: { name: 'mine' } });
    expect(made.status).toBe(201);
    const { rowCount } = await silentDatabase().pool.query(
      'select from mails union all select from account_changes',
    );
    expect(rowCount).toBe(0);
  });
});
