import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { askOf, newCredentials, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(database(), broker, {
    LOGIN_LIMIT_PER_ACCOUNT: '3',
    LOGIN_LIMIT_PER_NETWORK: '5',
    REGISTER_LIMIT_PER_NETWORK: '20',
    ACCESS_TOKEN_TTL_S: '1',
    API_LIMIT_PER_CALLER: '4',
  });
});
afterAll(() => auth.dispose());

const ask = askOf(() => auth.url);
const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ status, code }) });
// As the gateway, which is on this machine too, would say it.
const from = (ip: string) => ({ 'x-forwarded-for': ip });

describe('limits', () => {
  it('stop guessing at an account after three tries, for this network only', async () => {
    const { email, password } = await signUp(ask);
    const attempt = (password: string, ip: string) =>
      ask('POST', '/api/auth/login', { json: { email, password }, headers: from(ip) });
    for (let n = 0; n < 3; n++)
      expect((await attempt('a wrong one', '192.0.2.1')).status).toBe(401);

    const refused = await attempt(password, '192.0.2.1');
    expect(refused).toEqual(problem(429, 'too_many_attempts'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toBe(
      '"login-account";q=3;w=900, "login-network";q=5;w=900',
    );
    expect(refused.headers.get('ratelimit')).toMatch(
      /^"login-account";r=0;t=\d+, "login-network";r=2;t=\d+$/,
    );
    const elsewhere = await attempt(password, '192.0.2.2');
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.headers.get('ratelimit')).toMatch(
      /^"login-account";r=3;t=900, "login-network";r=5;t=\d+$/,
    );
  });

  it('stop guessing at the secret of a client, and never the client itself', async () => {
    const attempt = (secret: string, ip: string) =>
      ask('POST', '/oauth/token', {
        text: 'grant_type=client_credentials&audience=integrations',
        headers: {
          ...from(ip),
          authorization: `Basic ${Buffer.from(`${auth.worker.id}:${secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      });
    for (let n = 0; n < 3; n++) expect((await attempt('guess', '192.0.2.5')).status).toBe(401);
    const refused = await attempt('guess', '192.0.2.5');
    expect(refused).toEqual(problem(429, 'too_many_attempts'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let n = 0; n < 8; n++) {
      expect((await attempt(auth.worker.secret, '192.0.2.5')).status).toBe(200);
    }
  });

  it('stop a network that tries many accounts', async () => {
    const guess = () =>
      ask('POST', '/api/auth/login', { json: newCredentials(), headers: from('192.0.2.3') });
    for (let n = 0; n < 5; n++) expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
  });

  it('stop guesses from all over a /48 of IPv6', async () => {
    const { email } = await signUp(ask);
    const statuses: number[] = [];
    for (let n = 0; n < 14; n++) {
      const call = {
        json: { email, password: 'a wrong one' },
        headers: from(`2001:db8:0:${n}00::1`),
      };
      statuses.push((await ask('POST', '/api/auth/login', call)).status);
    }
    expect(statuses).toEqual([...Array<number>(12).fill(401), 429, 429]);
  });

  it('stop trying out which addresses are taken', async () => {
    const { email, password } = await signUp(ask);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const call = { json: { email, password }, headers: from('192.0.2.4') };
      statuses.push((await ask('POST', '/api/auth/register', call)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(409), 429, 429]);
  });

  it('keep a user and a key of theirs apart, and show how many requests are left', async () => {
    const { accessToken: token } = await signUp(ask);
    const made = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'ci' } });
    const me = async (credential: string) => ask('GET', '/api/auth/me', { token: credential });
    const shown = (answer: { readonly headers: Headers }) => answer.headers.get('ratelimit');
    expect(made.headers.get('ratelimit-policy')).toBe('"api";q=4;w=10');
    expect(shown(made)).toMatch(/^"api";r=3;t=\d+$/);
    const key = (made.body as { key: string }).key;
    for (let left = 3; left >= 0; left--) expect(shown(await me(key))).toContain(`r=${left};`);
    const refused = await me(key);
    expect(refused).toEqual(problem(429, 'too_many_requests'));
    expect(shown(refused)).toMatch(/^"api";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(shown(await me(token))).toContain('r=2;');
  });

  it('end an access token when its time is over', async () => {
    const { accessToken: token } = await signUp(ask);
    expect((await ask('GET', '/api/auth/me', { token })).status).toBe(200);
    await eventually(
      async () => {
        expect(await ask('GET', '/api/auth/me', { token })).toEqual(problem(401, 'invalid_token'));
      },
      { deadlineMs: 45_000, pollMs: 200 },
    );
  });
});
