import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, hangUpWhileReading } from '@junction/testing';
import { OWN_PAGE, problem, signUp } from './http-client.js';
import { useAuth } from './started-auth.js';

const folder = mkdtempSync(path.join(tmpdir(), 'junction-limits-'));
afterAll(() => rmSync(folder, { recursive: true }));
const settings = path.join(folder, 'settings.env');
writeFileSync(settings, 'SIGN_IN_LIMITS=account=3/900,network=5/900\nAPI_LIMIT_PER_CALLER=4\n');

const { ask, auth, database } = useAuth(() => ({ SETTINGS_FILE: settings, LOG_LEVEL: 'warn' }));

// As the gateway, which is on this machine too, would say it.
const from = (ip: string) => ({ 'x-forwarded-for': ip });

describe('limits', () => {
  it('stop guessing at an account after three tries, for this network only', async () => {
    const { email, password } = await signUp(ask);
    const attempt = (password: string, ip: string) =>
      ask('POST', '/api/auth/login', { json: { email, password }, headers: from(ip) });
    for (let n = 0; n < 2; n++)
      expect((await attempt('a wrong one', '192.0.2.1')).status).toBe(401);
    // A guess in a browser counts with them.
    const json = { email, password: 'a wrong one' };
    const headers = { ...OWN_PAGE, ...from('192.0.2.1') };
    expect((await ask('POST', '/api/auth/session', { json, headers })).status).toBe(401);

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

  it('count an address whatever a proxy writes beside it, and what is none as the proxy', async () => {
    const { email } = await signUp(ask);
    const wrong = { email, password: 'a wrong one' };
    const tries = async (...addresses: readonly string[]) => {
      const answers: number[] = [];
      for (const ip of addresses) {
        const tried = await ask('POST', '/api/auth/login', { json: wrong, headers: from(ip) });
        answers.push(tried.status);
      }
      return answers;
    };
    const stopped = [401, 401, 401, 429];
    expect(
      await tries('203.0.113.7:50000', '203.0.113.7:50001', '203.0.113.7', '203.0.113.7:1'),
    ).toEqual(stopped);
    expect(
      await tries('[2001:db8::1]:443', '[2001:db8::2]', '2001:db8::1', '[2001:db8::1]:444'),
    ).toEqual(stopped);
    expect(await tries('unknown', '_hidden', 'unknown:1', '127.0.0.1')).toEqual(stopped);
  });

  it('leave a read no time that its caller has not: it stops in the database when they hang up', async () => {
    const { accessToken: token } = await signUp(ask);
    const list = (signal: AbortSignal) => ask('GET', '/api/auth/api-keys', { token, signal });
    expect(await hangUpWhileReading(database(), 'api_key_uses', list)).toBe(0);
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

  it('change with their file in a service that runs, as its log level does, and a broken file changes nothing', async () => {
    const { accessToken: token } = await signUp(ask);
    const policy = async () =>
      (await ask('GET', '/api/auth/me', { token })).headers.get('ratelimit-policy');
    const isSaid = async (text: RegExp) => eventually(() => expect(auth().logs()).toMatch(text));

    expect(auth().logs()).not.toContain('"msg":"request"');
    writeFileSync(settings, 'API_LIMIT_PER_CALLER=90\nLOG_LEVEL=info\nREFRESH_TOKEN_TTL_S=99\n');
    await isSaid(/"a changed setting counts after a restart"/);
    expect(auth().logs()).toMatch(/"setting":"API_LIMIT_PER_CALLER","before":"4","after":"90"/);
    expect(await policy()).toBe('"api";q=90;w=10');
    await isSaid(/"msg":"request"/);

    writeFileSync(settings, 'API_LIMIT_PER_CALLER=80\nLOG_LEVEL=loud\n');
    await isSaid(/LOG_LEVEL: Invalid option[^}]*"SETTINGS_FILE is refused/);
    expect(await policy()).toBe('"api";q=90;w=10');
  });
});
