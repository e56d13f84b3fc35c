import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { TOTP } from 'otpauth';
import { type Developer, newDeveloper } from './developer.js';
import { junction, startJunction, values } from './junction.js';

const STEP_MS = 30_000;

const product = useProduct();
let home: string;
let person: Developer;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'junction-home-'));
  person = await newDeveloper(product());
});

afterAll(async () => {
  rmSync(home, { recursive: true });
});

/** Environment of a user whose session is kept in a folder of this name. */
const at = (folder: string) => ({ XDG_CONFIG_HOME: path.join(home, folder) });
const cli = async (folder: string, line: string, input = '') =>
  junction(product(), line.split(' '), at(folder), input);

describe('junction login', () => {
  it('is asked for, in words that say what to do', async () => {
    const { code, out, err } = await cli('nobody', 'webhooks list');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('junction login');
  });

  it('refuses a wrong password', async () => {
    const { code, err } = await cli('nobody', `login --email ${person.email}`, 'wrong\n');
    expect(code).toBe(1);
    expect(err).toContain('invalid_credentials');
  });

  it('keeps the session in a file of its owner, until logout', async () => {
    const args = ['login', '--email', person.email];
    const piped = startJunction(product(), args, at('password'), `${person.password}\n`);
    const { code, out, err } = await piped.ended;
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).not.toContain(person.password);
    const file = path.join(home, 'password/junction/session.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(values(await cli('password', 'status --json'))).toEqual([
      expect.objectContaining({
        user: expect.objectContaining({ email: person.email }),
        webhooks: 0,
      }),
    ]);
    expect((await cli('password', 'logout')).code).toBe(0);
    expect((await cli('password', 'status')).code).toBe(1);
  });

  it('takes an API key instead', async () => {
    const json = { name: 'cli', scopes: ['webhooks:read'] };
    const made = await person.call('POST', '/api/auth/api-keys', { json });
    const { key } = made.body as { key: string };
    const byKey = await junction(product(), ['status'], { JUNCTION_API_KEY: key });
    expect(byKey).toMatchObject({ code: 0, err: '' });
    expect(byKey.out).toContain('an API key');
    expect((await cli('by-key', `login --api-key ${key}`)).code).toBe(0);
    expect((await cli('by-key', 'webhooks list')).code).toBe(0);
    expect((await cli('by-key', 'logout')).code).toBe(0);
    expect((await cli('by-key', 'webhooks list')).code).toBe(1);
  });
});

describe('junction login with a second factor', () => {
  let totp: TOTP;
  let recovery: string;
  beforeAll(async () => {
    const offered = await person.call('POST', '/api/auth/totp', { json: {} });
    totp = new TOTP({ secret: (offered.body as { secret: string }).secret });
    const json = { code: totp.generate() };
    const confirmed = await person.call('POST', '/api/auth/totp/confirm', { json });
    [recovery = ''] = (confirmed.body as { recovery_codes: string[] }).recovery_codes;
  });

  /** Types, or pipes in, the password and what is asked for after it. */
  const logIn = async (folder: string, code: string) =>
    cli(folder, `login --email ${person.email}`, `${person.password}\n${code}`);

  it('asks for a code of the authenticator', async () => {
    // The code of now has been shown when it was added, and counts no more.
    const code = totp.generate({ timestamp: Date.now() + STEP_MS });
    const logged = await logIn('totp', `${code}\n`);
    expect(logged).toMatchObject({ code: 0, out: '' });
    expect(logged.err).not.toContain(code);
    expect(values(await cli('totp', 'status --json'))).toMatchObject([
      { user: { email: person.email } },
    ]);
  });

  it('takes a recovery code in its place, once', async () => {
    expect(await logIn('recovery', `${recovery}\n`)).toMatchObject({ code: 0 });
    expect(await logIn('again', `${recovery}\n`)).toMatchObject({ code: 1 });
  });

  it('refuses a wrong code, and none, and keeps nothing', async () => {
    const wrong = await logIn('wrong', '000000\n');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('invalid_second_factor');
    const none = await logIn('wrong', '');
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('second factor') });
    expect((await cli('wrong', 'status')).code).toBe(1);
  });
});
