import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as client from 'openid-client';
import {
  type App,
  anna,
  authorizationOf,
  calendarAt,
  clients,
  connect,
  isActive,
  mailboxAt,
  refresh,
  walkOf,
} from '../test/outside-client.js';
import { type DevProvider, start } from './start.js';
import { openBrowser } from './walk/browser.js';
import { formWith, revokeInAccountPage, signInIfAsked, walkConsent } from './walk/walk-consent.js';

let provider: DevProvider;
let mailbox: App;
let calendar: App;

beforeAll(async () => {
  provider = await start({ clients });
  mailbox = await mailboxAt(provider);
  calendar = await calendarAt(provider);
});

beforeEach(() => {
  provider.control.reset();
  provider.control.revokeAccount(anna.email);
});

afterAll(async () => provider.close());

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

  it('to a scope that was not asked for can not be walked', async () => {
    const { url } = await authorizationOf(mailbox);

    const walk = walkConsent(url, { ...anna, allow: ['calendar.events'] });

    await expect(walk).rejects.toThrow('but not calendar.events');
  });

  it('is not reached without an e-mail address and a password', async () => {
    const { url } = await authorizationOf(mailbox);

    const walk = walkConsent(url, { email: 'anna', password: 'anything', allow: true });

    await expect(walk).rejects.toThrow(
      '422 with the page "Sign in to continue to Junction Mailbox',
    );
  });
});

describe('a signed-in browser', () => {
  it('can consent with another account', async () => {
    const { url } = await authorizationOf(mailbox);
    const browser = openBrowser(({ origin }) => origin === provider.issuer);
    const consent = await signInIfAsked(browser, await browser.open(url), anna);
    expect(consent.title).toBe('Let Junction Mailbox use your account?');

    const login = await browser.submit(consent.url, new URLSearchParams({ action: 'switch' }));

    expect(login.title).toBe('Sign in to continue to Junction Mailbox');
  });

  it('finds its account page without signing in again, until it signs out', async () => {
    const { url } = await authorizationOf(mailbox);
    const browser = openBrowser(({ origin }) => origin === provider.issuer);
    await signInIfAsked(browser, await browser.open(url), anna);
    const account = await browser.open(new URL('/account', provider.issuer));
    expect(account.text).toContain(anna.email);

    const left = await browser.submit(new URL('/account/sign-out', account.url), NOTHING);

    expect(left.title).toBe('Sign in to your account');
  });
});

const NOTHING = new URLSearchParams();

describe('the account page', () => {
  it('takes the access of one app away and leaves the other', async () => {
    const mail = await connect(mailbox, walkOf(anna));
    const events = await connect(calendar, walkOf(anna));

    await revokeInAccountPage(provider.issuer, { ...anna, client: 'junction-mailbox' });

    expect(await isActive(mailbox, mail.access_token)).toBe(false);
    await expect(refresh(mailbox, mail)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await isActive(calendar, events.access_token)).toBe(true);
  });

  it('ends every grant that the app has collected', async () => {
    const first = await connect(mailbox, walkOf(anna));
    const second = await connect(mailbox, walkOf(anna));

    await revokeInAccountPage(provider.issuer, { ...anna, client: 'junction-mailbox' });

    expect(await isActive(mailbox, first.access_token)).toBe(false);
    expect(await isActive(mailbox, second.access_token)).toBe(false);
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

  it('tells the apps with access what else happened, and leaves their access alone', async () => {
    const receiver = await startReceiver([202]);
    const told = await start({
      clients: clients.map((app) => ({ ...app, security_events_uri: receiver.url })),
    });
    try {
      const mail = await mailboxAt(told);
      const tokens = await connect(mail, walkOf(anna));
      const browser = openBrowser(({ origin }) => origin === told.issuer);
      const login = await browser.open(new URL('/account', told.issuer));
      const account = await signInIfAsked(browser, login, anna);
      const form = formWith(account, { name: 'type', value: 'credential-change' });

      const chosen = new URLSearchParams({ type: 'credential-change' });
      await browser.submit(form?.action ?? account.url, chosen);

      const [event] = await receiver.all;
      expect(decodeJwt(event?.body ?? '')).toMatchObject({
        aud: 'junction-mailbox',
        sub_id: { format: 'iss_sub', iss: told.issuer, sub: anna.email },
        events: {
          'https://schemas.openid.net/secevent/caep/event-type/credential-change': {
            credential_type: 'password',
            change_type: 'update',
          },
        },
      });
      expect(await isActive(mail, tokens.access_token)).toBe(true);
    } finally {
      await Promise.all([told.close(), receiver.close()]);
    }
  });

  it('lists no app of somebody else', async () => {
    await connect(mailbox, walkOf(anna));
    const ben = { email: 'ben@example.org', password: 'anything' };

    const revoke = revokeInAccountPage(provider.issuer, { ...ben, client: 'junction-mailbox' });

    await expect(revoke).rejects.toThrow('lists no app junction-mailbox');
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
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('of a sign-in lets the form lead back to the app, and to nowhere else', async () => {
    const { url } = await authorizationOf(mailbox);
    const response = await fetch(url, { redirect: 'manual' });
    const page = new URL(response.headers.get('location') ?? '', url);
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');

    const { headers, status } = await fetch(page, { headers: { cookie } });

    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain(
      "form-action 'self' http://localhost:8080;",
    );
  });

  it('of a sign-in belongs to the browser that began it', async () => {
    const { url } = await authorizationOf(mailbox);
    const { headers } = await fetch(url, { redirect: 'manual' });

    const response = await fetch(new URL(headers.get('location') ?? '', url));

    expect(response.status).toBe(400);
    expect(await response.text()).toContain('began in another browser');
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
