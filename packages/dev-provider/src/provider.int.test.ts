import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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
} from '../test/outside-client.js';
import { type DevProvider, start } from './start.js';
import { walkConsent } from './walk/walk-consent.js';

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

  it('says it is healthy', async () => {
    const response = await fetch(`${provider.issuer}/health`);

    expect(await response.json()).toEqual({ status: 'ok' });
  });
});

describe('a refresh token', () => {
  it('is replaced by each refresh', async () => {
    const first = await connect(mailbox, walkOf(anna));
    const second = await refresh(mailbox, first);
    const third = await refresh(mailbox, second);

    const all = [first, second, third].map((tokens) => tokens.refresh_token);
    expect(new Set(all).size).toBe(3);
    expect(await isActive(mailbox, third.access_token)).toBe(true);
  });

  it('used twice at once serves one caller at most, and ends the grant', async () => {
    const first = await connect(mailbox, walkOf(anna));

    const answers = await Promise.allSettled([refresh(mailbox, first), refresh(mailbox, first)]);

    const served = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    expect(served.length).toBeLessThan(2);
    for (const { access_token } of served)
      expect(await isActive(mailbox, access_token)).toBe(false);
  });

  it('used again ends the whole grant', async () => {
    const first = await connect(mailbox, walkOf(anna));
    const second = await refresh(mailbox, first);

    await expect(refresh(mailbox, first)).rejects.toMatchObject({ error: 'invalid_grant' });

    await expect(refresh(mailbox, second)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(await isActive(mailbox, second.access_token)).toBe(false);
  });
});

describe('revocation', () => {
  it('of the refresh token ends the access token with it', async () => {
    const tokens = await connect(mailbox, walkOf(anna));
    expect(await isActive(mailbox, tokens.access_token)).toBe(true);

    await client.tokenRevocation(mailbox.config, tokens.refresh_token ?? '');

    expect(await isActive(mailbox, tokens.access_token)).toBe(false);
    expect(await isActive(mailbox, tokens.refresh_token ?? '')).toBe(false);
  });

  it('of the access token ends the refresh token with it', async () => {
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

    expect(await isActive(calendar, mail.access_token)).toBe(false); // It may not even look.
    expect(await isActive(mailbox, mail.access_token)).toBe(true);
  });
});
