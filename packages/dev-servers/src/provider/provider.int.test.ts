import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as client from 'openid-client';
import {
  type App,
  anna,
  authorizationOf,
  CALENDAR_SCOPE,
  calendarAt,
  clients,
  connect,
  isActive,
  MAILBOX_SCOPE,
  mailboxAt,
  redeem,
  refresh,
  walkOf,
} from '../../test/outside-client.js';
import { type DevProvider, start } from './start.js';
import { revokeInAccountPage, walkConsent } from './walk/walk-consent.js';

let provider: DevProvider;
let mailbox: App;
let calendar: App;

beforeAll(async () => {
  provider = await start({ clients, control: true });
  mailbox = await mailboxAt(provider);
  calendar = await calendarAt(provider);
});

beforeEach(() => {
  provider.control.reset();
  provider.control.revokeAccount(anna.email);
});

afterAll(async () => provider.close());

describe('the provider', () => {
  it('gives an outside client tokens for a code, with PKCE, nonce and iss', async () => {
    const tokens = await connect(mailbox, { ...anna, allow: true });

    expect(tokens.claims()).toMatchObject({ sub: anna.email, aud: 'junction-mailbox' });
    expect(tokens.refresh_token).toEqual(expect.any(String));
    expect(tokens.expires_in).toBe(3600);
    expect(tokens.scope?.split(' ')).toEqual(MAILBOX_SCOPE.split(' '));
  });

  it('issues a refresh token without offline_access too', async () => {
    const tokens = await connect({ ...calendar, scope: 'openid calendar.events' }, walkOf(anna));

    expect(tokens.refresh_token).toEqual(expect.any(String));
  });

  it('refuses an authorization request without PKCE', async () => {
    const { url } = await authorizationOf(mailbox);
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');

    const callback = await walkConsent(url, walkOf(anna));

    expect(callback.searchParams.get('error')).toBe('invalid_request');
    expect(callback.searchParams.get('error_description')).toMatch(/PKCE/i);
  });

  it('refuses scopes of the calendar to the mailbox client', async () => {
    const { url } = await authorizationOf({ ...mailbox, scope: CALENDAR_SCOPE });

    const callback = await walkConsent(url, walkOf(anna));

    expect(callback.searchParams.get('error')).toBe('invalid_scope');
  });

  it('shows a page of its own for a redirect URI it does not know', async () => {
    const { url } = await authorizationOf(mailbox);
    url.searchParams.set('redirect_uri', 'http://localhost:8080/elsewhere');

    await expect(walkConsent(url, walkOf(anna))).rejects.toThrow(/400 .*That did not work/);
  });

  it('redeems a code once, and ends the grant when it comes again', async () => {
    const request = await authorizationOf(mailbox);
    const callback = await walkConsent(request.url, walkOf(anna));
    const tokens = await redeem(mailbox, request, callback);

    await expect(redeem(mailbox, request, callback)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(await isActive(mailbox, tokens.access_token)).toBe(false);
  });
});

it('a refresh token is replaced by each refresh', async () => {
  const first = await connect(mailbox, walkOf(anna));
  const second = await refresh(mailbox, first);
  const third = await refresh(mailbox, second);

  const all = [first, second, third].map((tokens) => tokens.refresh_token);
  expect(new Set(all).size).toBe(3);
  expect(await isActive(mailbox, third.access_token)).toBe(true);
});

describe('revocation', () => {
  it('ends the access token with the refresh token', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    expect(await isActive(mailbox, tokens.access_token)).toBe(true);

    await client.tokenRevocation(mailbox.config, tokens.refresh_token ?? '');

    expect(await isActive(mailbox, tokens.access_token)).toBe(false);
    expect(await isActive(mailbox, tokens.refresh_token ?? '')).toBe(false);
  });

  it('ends the refresh token with the access token', async () => {
    const tokens = await connect(mailbox, walkOf(anna));

    await client.tokenRevocation(mailbox.config, tokens.access_token);

    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('at the mailbox leaves the calendar of the same account alone', async () => {
    const mail = await connect(mailbox, walkOf(anna));
    const events = await connect(calendar, walkOf(anna));

    await client.tokenRevocation(mailbox.config, mail.refresh_token ?? '');

    expect(await isActive(calendar, events.access_token)).toBe(true);
    await expect(refresh(calendar, events)).resolves.toBeDefined();
  });

  it('is refused to a client that the token was not issued to', async () => {
    const mail = await connect(mailbox, walkOf(anna));

    await client.tokenRevocation(calendar.config, mail.refresh_token ?? '');

    expect(await isActive(calendar, mail.access_token)).toBe(false); // introspection is refused, too
    expect(await isActive(mailbox, mail.access_token)).toBe(true);
  });
});

describe('consent', () => {
  it('denied goes back to the app with access_denied, state and iss', async () => {
    const { url, state } = await authorizationOf(mailbox);

    const callback = await walkConsent(url, { ...anna, allow: false });

    expect(Object.fromEntries(callback.searchParams)).toMatchObject({
      error: 'access_denied',
      state,
      iss: provider.issuer,
    });
  });

  it('in part gives exactly the ticked scopes', async () => {
    const tokens = await connect(mailbox, { ...anna, allow: ['mailbox.readonly'] });

    expect(tokens.scope).toBe('openid offline_access mailbox.readonly');
    const introspected = await client.tokenIntrospection(mailbox.config, tokens.access_token);
    expect(introspected.scope).toBe('openid offline_access mailbox.readonly');
  });
});

describe('the account page', () => {
  it('takes the access of one app away and leaves the other', async () => {
    const mail = await connect(mailbox, walkOf(anna));
    const events = await connect(calendar, walkOf(anna));

    await revokeInAccountPage(provider.issuer, { ...anna, client: 'junction-mailbox' });

    expect(await isActive(mailbox, mail.access_token)).toBe(false);
    await expect(refresh(mailbox, mail)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await isActive(calendar, events.access_token)).toBe(true);
  });

  it('has the app told by a signed event, again when it did not listen', async () => {
    const receiver = await startReceiver([503, 202]);
    const told = await start({
      clients: clients.map((app) => ({ ...app, security_events_uri: receiver.url })),
    });
    try {
      await connect(await mailboxAt(told), walkOf(anna));
      await revokeInAccountPage(told.issuer, { ...anna, client: 'junction-mailbox' });
      const [first, second] = await receiver.all;
      expect(second).toEqual(first);
      expect(first?.type).toBe('application/secevent+jwt');
      const keys = createRemoteJWKSet(new URL('/jwks', told.issuer));
      const { payload } = await jwtVerify(first?.body ?? '', keys, {
        issuer: told.issuer,
        audience: 'junction-mailbox',
        typ: 'secevent+jwt',
        requiredClaims: ['jti', 'iat'],
      });
      expect(payload).toMatchObject({
        sub_id: { format: 'iss_sub', iss: told.issuer, sub: anna.email },
        events: { 'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked': {} },
      });
    } finally {
      await Promise.all([told.close(), receiver.close()]);
    }
  });

  it('takes no form from another site', async () => {
    const response = await fetch(`${provider.issuer}/account/sign-out`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-site' },
    });

    expect(response.status).toBe(403);
  });
});

describe('every page', () => {
  it('loads nothing, runs nothing and is not cached', async () => {
    const { headers } = await fetch(`${provider.issuer}/account`);

    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256/,
    );
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('belongs to the browser that started its sign-in', async () => {
    const { url } = await authorizationOf(mailbox);
    const { headers } = await fetch(url, { redirect: 'manual' });

    const response = await fetch(new URL(headers.get('location') ?? '', url));

    expect(response.status).toBe(400);
    expect(await response.text()).toContain('began in another browser');
  });
});

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
});

describe('a restart', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dev-servers-'));
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
    const dataFile = join(import.meta.dirname, '../../package.json');
    const text = await readFile(dataFile, 'utf8');

    const started = start({ clients, dataFile });

    await expect(started).rejects.toThrow('is no snapshot of this provider');
    expect(await readFile(dataFile, 'utf8')).toBe(text);
  });
});

interface Received {
  readonly type: string | undefined;
  readonly body: string;
}

/** Answers with these statuses in turn; `all` resolves when each was given. */
async function startReceiver(statuses: readonly number[]) {
  const received: Received[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      res.writeHead(statuses[received.length] ?? 500).end();
      received.push({ type: req.headers['content-type'], body });
      if (received.length === statuses.length) server.emit('all');
    });
  });
  const all = once(server, 'all').then(() => received);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    all,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

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
