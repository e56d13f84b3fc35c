import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useBroker, useDatabase } from '@junction/testing';
import { TOTP } from 'otpauth';
import { type Answer, askOf, newCredentials, type Person, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { type StartedAuth, startAuth } from './started-auth.js';

const TRIES_OF_A_LOGIN = 5;

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(database(), broker);
}, 90_000);
afterAll(() => auth.dispose());

const ask = askOf(() => auth.url);
const from = (ip: string) => ({ 'x-forwarded-for': ip });
const login = async ({ email, password }: Pick<Person, 'email' | 'password'>, ip: string) =>
  ask('POST', '/api/auth/login', { json: { email, password }, headers: from(ip) });
const serviceToken = async (secret: string, ip: string) =>
  ask('POST', '/oauth/token', {
    text: 'grant_type=client_credentials&audience=integrations',
    headers: {
      ...from(ip),
      authorization: `Basic ${btoa(`${auth.worker.id}:${secret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });

const atOnce = async (count: number, send: (n: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)));
/** How many answers have each status. */
const statuses = (answers: readonly Answer[]) => {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

describe('requests sent all at once, under the default limits,', () => {
  it('are all answered where twenty logins are right', async () => {
    const person = await signUp(ask);
    expect(statuses(await atOnce(20, () => login(person, '192.0.2.1')))).toEqual({ 200: 20 });
  });

  it('are refused after ten where logins are wrong, until Retry-After and no longer', async () => {
    const { email } = await signUp(ask);
    const wrong = { email, password: newCredentials().password };
    const answers = await atOnce(20, () => login(wrong, '192.0.2.2'));
    expect(statuses(answers)).toEqual({ 401: 10, 429: 10 });
    const refused = answers.filter(({ status }) => status === 429);
    for (const { headers } of refused) {
      const waitS = Number(headers.get('retry-after'));
      expect(waitS).toBeGreaterThan(880);
      expect(waitS).toBeLessThanOrEqual(900);
    }
  });

  it('are all answered where sixty clients have the right secret, also after wrong ones of another', async () => {
    const right = async () => serviceToken(auth.worker.secret, '192.0.2.3');
    expect(statuses(await atOnce(60, right))).toEqual({ 200: 60 });
    const wrong = await atOnce(15, () => serviceToken('an older one', '192.0.2.3'));
    expect(statuses(wrong)).toEqual({ 401: 10, 429: 5 });
    expect(statuses(await atOnce(60, right))).toEqual({ 200: 60 });
  });

  it('are told of a taken address ten times, however many ask', async () => {
    const { email, password } = await signUp(ask);
    const answers = await atOnce(150, () =>
      ask('POST', '/api/auth/register', { json: { email, password }, headers: from('192.0.2.4') }),
    );
    expect(statuses(answers)).toEqual({ 409: 10, 429: 140 });
  });

  it('are refused after twenty where they guess a second factor, from however many networks', async () => {
    const { email, password, accessToken: token } = await signUp(ask);
    const offered = await ask('POST', '/api/auth/totp', { token, json: {} });
    const totp = new TOTP({ secret: (offered.body as { secret: string }).secret });
    const code = totp.generate();
    const json = { code };
    expect((await ask('POST', '/api/auth/totp/confirm', { token, json })).status).toBe(200);

    const networks = Array.from({ length: 30 }, (_, n) => `2001:db8:${n}::1`);
    const mfaTokens: string[] = [];
    for (let n = 0; n < 60; n++) {
      const { body } = await login({ email, password }, networks[n % 30] ?? '');
      mfaTokens.push((body as { mfa_token: string }).mfa_token);
    }
    const guesses = await atOnce(60 * TRIES_OF_A_LOGIN, (n) =>
      ask('POST', '/api/auth/login/second-factor', {
        // The code was shown before, so it is as wrong as any other.
        json: { mfa_token: mfaTokens[n % 60], totp_code: code },
        headers: from(networks[n % 30] ?? ''),
      }),
    );
    expect(statuses(guesses)).toEqual({ 401: 20, 429: 280 });
  });
});
