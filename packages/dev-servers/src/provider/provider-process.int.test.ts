import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import {
  type App,
  anna,
  clients,
  connect,
  isActive,
  mailboxAt,
  refresh,
  walkOf,
} from '../../test/outside-client.js';
import { type ProviderProcess, startProviderProcess } from './provider-process.js';

let provider: ProviderProcess;
let mailbox: App;

beforeAll(async () => {
  const port = await freePort();
  provider = await startProviderProcess({ clients, port, issuer: `http://localhost:${port}` });
  mailbox = await mailboxAt(provider);
});

beforeEach(async () => {
  await provider.control.reset();
  await provider.control.revokeAccount(anna.email);
});

afterAll(async () => provider?.close());

describe('a provider in a process of its own', () => {
  it('counts calls, and lets them fail', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    await provider.control.fail({ endpoint: 'token', calls: 1, status: 503, retryAfterS: 7 });
    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ cause: { status: 503 } });
    await expect(refresh(mailbox, tokens)).resolves.toBeDefined();
    expect(await provider.control.calls()).toMatchObject({
      token: 3,
      revocation: 0,
      introspection: 0,
    });
  });

  it('ends grants, and has events happen', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    expect(await provider.control.happen('credential-change', anna.email)).toBe(0);
    expect(await provider.control.revokeAccount(anna.email)).toBe(1);
    expect(await isActive(mailbox, tokens.access_token)).toBe(false);
    expect(await provider.control.revokeAccount(anna.email, 'junction-mailbox')).toBe(0);
  });

  it.each([-300, 300])('has a clock of its own, and %i s off', async (skewS) => {
    const offS = async () => {
      const { id_token = '' } = await connect(mailbox, walkOf(anna));
      return (decodeJwt(id_token).iat ?? 0) - Date.now() / 1_000;
    };
    await provider.control.skewClock(skewS);
    expect(Math.abs((await offS()) - skewS)).toBeLessThan(100);
    const event = decodeJwt(await provider.control.signSecurityEvent({}));
    expect(Math.abs((event.iat ?? 0) - Date.now() / 1_000 - skewS)).toBeLessThan(100);
    await provider.control.reset();
    expect(Math.abs(await offS())).toBeLessThan(100);
  });

  it('signs what a test would have it say, by another key after a rotation', async () => {
    const signed = async () => provider.control.signSecurityEvent({ aud: 'x' }, { typ: 'jwt' });
    const before = await signed();
    expect(decodeJwt(before)).toMatchObject({ iss: provider.issuer, aud: 'x' });
    expect(decodeProtectedHeader(before)).toMatchObject({ typ: 'jwt' });
    await provider.control.rotateSigningKey();
    const { kid } = decodeProtectedHeader(await signed());
    expect(kid).not.toBe(decodeProtectedHeader(before).kid);
  });

  it('says which request to its control was wrong', async () => {
    await expect(provider.control.skewClock(0.5)).rejects.toThrow(
      'skew_s must be a whole number from -86400 to 86400.',
    );
  });

  it('says why it did not start', async () => {
    const { port, issuer } = provider;
    await expect(startProviderProcess({ clients, port, issuer })).rejects.toThrow('EADDRINUSE');
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
