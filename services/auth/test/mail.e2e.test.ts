import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DevMail, startDevMail } from '@junction/dev-mail';
import {
  eventually,
  exportedMetrics,
  undescribed,
  useBroker,
  useDatabase,
} from '@junction/testing';
import { askOf, logIn, newCredentials, signUp } from './http-client.js';
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
    startAuth(database(), broker, { SMTP_URL: mail.smtpUrl }),
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
  });
});
