import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
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
import { type DevProvider, start } from './start.js';

let provider: DevProvider;
let mailbox: App;

beforeAll(async () => {
  provider = await start({ clients, control: true });
  mailbox = await mailboxAt(provider);
});

beforeEach(() => {
  provider.control.reset();
  provider.control.revokeAccount(anna.email);
});

afterAll(async () => provider.close());

describe('a test', () => {
  it('can lose the answer to a refresh that was carried out', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    await control('faults', { endpoint: 'token', status: 502, late_failure: true });
    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ cause: { status: 502 } });

    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('can rotate the signing key: what the one before signed can be checked until the next', async () => {
    const before = await connect(mailbox, walkOf(anna));
    expect((await control('rotate-signing-key', {})).status).toBe(204);
    const after = await connect(mailbox, walkOf(anna));
    expect(await signerOf(after)).not.toBe(await signerOf(before));
    const event = await provider.signSecurityEvent({});
    expect(decodeProtectedHeader(event).kid).toBe(await signerOf(after));

    await provider.control.rotateSigningKey();
    await expect(signerOf(before)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    expect(await signerOf(after)).toEqual(expect.any(String));
    await expect(refresh(mailbox, after)).resolves.toBeDefined();
  });

  it('has no control over HTTP unless it was asked for', async () => {
    const closed = await start({ clients });
    try {
      expect((await fetch(`${closed.issuer}/control/calls`)).status).toBe(404);
    } finally {
      await closed.close();
    }
    expect((await fetch(`${provider.issuer}/control/calls`)).status).toBe(200);
  });

  it('is told which security events there are', async () => {
    const answer = await control('security-events', { type: 'moved', email: anna.email });

    expect(answer.status).toBe(400);
    const types = 'tokens-revoked, token-revoked, account-disabled, session-revoked';
    expect(await answer.json()).toEqual({
      error: `type must be one of ${types}, credential-change.`,
    });
  });

  it('tells no app that has no events URI, and ends tokens all the same', async () => {
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
    const before = await start({ clients, dataFile });
    const tokens = await connect(await mailboxAt(before), walkOf(anna));
    const signer = decodeProtectedHeader(tokens.id_token ?? '').kid;
    await before.control.rotateSigningKey();
    await before.close();
    expect(await readFile(dataFile, 'utf8')).not.toContain(tokens.refresh_token);

    const after = await start({ clients, dataFile, port: before.port });
    const again = await refresh(await mailboxAt(after), tokens);
    const { keys } = (await (await fetch(`${after.issuer}/jwks`)).json()) as { keys: object[] };
    await after.close();

    expect(again.claims()?.sub).toBe(anna.email);
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual(expect.objectContaining({ kid: signer }));
    expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
  });

  it('with a file that is something else refuses and leaves the file alone', async () => {
    const dataFile = join(import.meta.dirname, '..', 'package.json');
    const text = await readFile(dataFile, 'utf8');

    const started = start({ clients, dataFile });

    await expect(started).rejects.toThrow('is no snapshot of this provider');
    expect(await readFile(dataFile, 'utf8')).toBe(text);
  });
});

/** The id of the published key by which an id token is good. */
async function signerOf({ id_token = '' }: { id_token?: string }): Promise<string | undefined> {
  const keys = createRemoteJWKSet(new URL('/jwks', provider.issuer));
  const { protectedHeader } = await jwtVerify(id_token, keys);
  return protectedHeader.kid;
}

const control = async (name: string, body: object) =>
  fetch(`${provider.issuer}/control/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
