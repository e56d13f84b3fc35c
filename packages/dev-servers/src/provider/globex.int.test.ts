import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type App,
  anna,
  authorizationOf,
  clients,
  connect,
  mailboxAt,
  refresh,
  walkOf,
} from '../../test/outside-client.js';
import { globexMailboxClient } from './clients.js';
import { GLOBEX } from './profile.js';
import { type DevProvider, start } from './start.js';
import { type Browser, openBrowser } from './walk/browser.js';
import { revokeInAccountPage, signInIfAsked } from './walk/walk-consent.js';

const CALLBACK = 'http://localhost:8080/connect/globex/mailbox/callback';
const EVENTS_URI = 'http://127.0.0.1:9/events';

let provider: DevProvider;
let mailbox: App;

beforeAll(async () => {
  const client = globexMailboxClient('junction-mailbox', 'mailbox-secret', CALLBACK, EVENTS_URI);
  provider = await start({ profile: GLOBEX, clients: [client] });
  mailbox = {
    ...(await mailboxAt(provider)),
    redirectUri: CALLBACK,
    scope: 'openid offline_access mail.read mail.send mail.write',
  };
});

beforeEach(() => {
  provider.control.revokeAccount(anna.email);
});

afterAll(async () => provider.close());

describe('a provider with the profile of Globex', () => {
  it('keeps the refresh token: a refresh answers without one, again and again', async () => {
    const first = await connect(mailbox, walkOf(anna));
    expect(first.refresh_token).toEqual(expect.any(String));

    for (const refreshed of [await refresh(mailbox, first), await refresh(mailbox, first)]) {
      expect(refreshed).not.toHaveProperty('refresh_token');
      expect(refreshed.access_token).not.toBe(first.access_token);
      expect(refreshed.scope).toBe('openid offline_access mail.read mail.send mail.write');
    }
  });

  it('describes neither revocation nor introspection, and serves neither', async () => {
    const described = mailbox.config.serverMetadata();
    expect(described).not.toHaveProperty('revocation_endpoint');
    expect(described).not.toHaveProperty('introspection_endpoint');
    expect(described.scopes_supported).toContain('mail.read');
    expect(described.scopes_supported).not.toContain('mailbox.readonly');

    for (const endpoint of ['/token/revocation', '/token/introspection']) {
      const { status } = await fetch(provider.issuer + endpoint, { method: 'POST' });
      expect({ endpoint, status }).toEqual({ endpoint, status: 404 });
    }
  });

  it('says on its pages whose they are, and what its short scopes allow', async () => {
    const browser = openBrowser(({ origin }) => origin === provider.issuer);
    const page = await consentPage(browser);

    expect(page.title).toBe('Let Junction Mailbox use your account?');
    expect(page.text).toMatch(/Globex development provider/);
    expect(page.text).toMatch(/Sort your e-mails into labels and categories\s+mail\.write/);
  });

  it('sends no security events, and offers none on the account page', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    const browser = openBrowser(({ origin }) => origin === provider.issuer);
    const opened = await browser.open(new URL('/account', provider.issuer));
    const account = await signInIfAsked(browser, opened, anna);
    expect(account.text).toContain('Revoke access');
    expect(account.text).not.toContain('Security events');
    expect(provider.control.happen('session-revoked', anna.email)).toBe(0);

    await revokeInAccountPage(provider.issuer, { ...anna, client: 'junction-mailbox' });
    await expect(refresh(mailbox, tokens)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

it('a browser stays signed in at two providers of this machine', async () => {
  const acme = await start({ clients });
  const browser = openBrowser(({ hostname }) => hostname === 'localhost');
  try {
    for (const { issuer } of [provider, acme]) {
      const opened = await browser.open(new URL('/account', issuer));
      await signInIfAsked(browser, opened, anna);
    }
    for (const [{ issuer }, name] of [
      [provider, 'Globex'],
      [acme, 'Acme'],
    ] as const) {
      const { title } = await browser.open(new URL('/account', issuer));
      expect(title).toBe(`Your account at ${name}`);
    }
  } finally {
    await acme.close();
  }
});

async function consentPage(browser: Browser) {
  const { url } = await authorizationOf(mailbox);
  return signInIfAsked(browser, await browser.open(url), anna);
}
