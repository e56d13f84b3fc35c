import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type App,
  anna,
  clients,
  connect,
  isActive,
  mailboxAt,
  refresh,
  walkOf,
} from '../test/outside-client.js';
import type { DevProvider } from './start.js';
import { startDevProvider } from './start-dev-provider.js';

let provider: DevProvider;
let mailbox: App;

beforeAll(async () => {
  provider = await startDevProvider({ clients });
  mailbox = await mailboxAt(provider);
});

beforeEach(() => {
  provider.control.reset();
  provider.control.revokeAccount(anna.email);
});

afterAll(async () => provider.close());

describe('a test', () => {
  it('can let the token endpoint fail a number of times', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    await control('faults', { endpoint: 'token', calls: 1, status: 503 });

    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ cause: { status: 503 } });

    await expect(refresh(mailbox, tokens)).resolves.toBeDefined();
    expect(provider.control.calls().token).toBe(3);
  });

  it('can lose the answer to a refresh that was carried out', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    await control('faults', { endpoint: 'token', status: 502, late_failure: true });
    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ cause: { status: 502 } });

    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('can end all grants of an account', async () => {
    const tokens = await connect(mailbox, walkOf(anna));

    const answer = await control('revoke', { email: anna.email });

    expect(await answer.json()).toEqual({ revoked: 1 });
    expect(await isActive(mailbox, tokens.access_token)).toBe(false);
  });

  it('is told which security events there are', async () => {
    const answer = await control('security-events', { type: 'moved', email: anna.email });

    expect(answer.status).toBe(400);
    const types = 'tokens-revoked, token-revoked, account-disabled, session-revoked';
    expect(await answer.json()).toEqual({
      error: `type must be one of ${types}, credential-change.`,
    });
  });

  it('has nobody told who does not listen, and tokens end all the same', async () => {
    const tokens = await connect(mailbox, walkOf(anna));

    const answer = await control('security-events', { type: 'token-revoked', email: anna.email });

    expect(await answer.json()).toEqual({ sent: 0 });
    expect(await isActive(mailbox, tokens.refresh_token ?? '')).toBe(false);
  });

  it('is told which field of a fault is wrong', async () => {
    const answer = await control('faults', { endpoint: 'token', status: 20 });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      error: 'status must be a whole number from 200 to 599.',
    });
  });
});

describe('a restart', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dev-provider-'));
  });
  afterEach(async () => rm(folder, { recursive: true }));

  it('with a data file keeps grants, refresh tokens and signing keys', async () => {
    const dataFile = join(folder, 'provider.json');
    const before = await startDevProvider({ clients, dataFile });
    const tokens = await connect(await mailboxAt(before), walkOf(anna));
    await before.close();
    expect(await readFile(dataFile, 'utf8')).not.toContain(tokens.refresh_token);

    const after = await startDevProvider({ clients, dataFile, port: before.port });
    const again = await refresh(await mailboxAt(after), tokens);
    await after.close();

    expect(again.claims()?.sub).toBe(anna.email);
    expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
  });

  it('with a file that is something else refuses and leaves the file alone', async () => {
    const dataFile = join(import.meta.dirname, '..', 'package.json');
    const text = await readFile(dataFile, 'utf8');

    const started = startDevProvider({ clients, dataFile });

    await expect(started).rejects.toThrow('is no snapshot of this provider');
    expect(await readFile(dataFile, 'utf8')).toBe(text);
  });
});

const control = async (name: string, body: object) =>
  fetch(`${provider.issuer}/control/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
