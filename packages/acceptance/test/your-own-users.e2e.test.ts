import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { walkConsent } from '@junction/dev-servers/provider';
import { apiAt, type Call, eventually } from '@junction/testing';

const product = useProduct();
let api: Call;
let gateway: string;
let acme: string;

beforeAll(async () => {
  gateway = product().endpoints.gateway;
  api = apiAt(gateway);
  acme = product().endpoints.providers.acme;
});

const newAccount = () => `${randomUUID()}@acme.example`;

describe("the platform's own users", () => {
  it('come with tokens of their issuer to every service, from the first request on', async () => {
    const { token, call } = await acmeUser();
    const me = await call('GET', '/api/auth/me');
    expect(me).toMatchObject({
      status: 200,
      body: { user: { email: null, origin: 'acme', has_password: false, role: 'user' } },
    });
    for (const path of ['/api/integrations', '/api/webhooks', '/api/auth/api-keys']) {
      expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
    }
    // The id of a user is the same, whichever service meets the user first.
    const other = await acmeUser();
    expect((await other.call('GET', '/api/webhooks')).status).toBe(200);
    const { user } = (await other.call('GET', '/api/auth/me')).body as { user: { id: string } };
    expect(user.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(user.id).not.toBe(claimsOf(token)['sub']);
  });

  it('make API keys, which have an end, by a token that says when they signed in', async () => {
    const { token, call } = await acmeUser();
    expect(claimsOf(token)).toMatchObject({ auth_time: expect.any(Number) });
    const made = await call('POST', '/api/auth/api-keys', { json: { name: 'laptop' } });
    expect(made).toMatchObject({ status: 201, body: { expires_at: expect.any(String) } });
    const { key } = made.body as { key: string };
    expect((await api('GET', '/api/webhooks', { token: key })).status).toBe(200);
    expect((await call('GET', '/api/auth/export')).status).toBe(200);
  });

  it('are deleted for good: new tokens of the issuer open nothing', async () => {
    const { account, call } = await acmeUser();
    expect((await call('POST', '/api/webhooks/configure', { json: webhook() })).status).toBe(201);
    const deleted = await call('DELETE', '/api/auth/me');
    expect(deleted).toMatchObject({ status: 200, body: { receipt_id: expect.any(String) } });
    const { call: again } = await acmeUser(account);
    for (const path of ['/api/auth/me', '/api/integrations', '/api/webhooks']) {
      await eventually(async () => {
        const answer = await again('GET', path);
        expect([path, answer.status, answer.body]).toEqual([
          path,
          403,
          expect.objectContaining({ code: 'account_deleted' }),
        ]);
      });
    }
  });
});

describe('signing in to the dashboard at a trusted issuer', () => {
  it('is offered, and begins a session of the same user', async () => {
    const offered = await api('GET', '/api/auth/sign-in-issuers');
    expect(offered.body).toEqual({ items: [{ id: 'acme', display_name: 'Acme' }] });

    const account = newAccount();
    const { call } = await acmeUser(account);
    const { user } = (await call('GET', '/api/auth/me')).body as { user: { id: string } };

    const browser = await begun();
    const callback = await walkConsent(browser.url, {
      email: account,
      password: 'any',
      allow: true,
    });
    const back = await browser.open(callback);
    expect([back.status, back.headers.get('location')]).toEqual([303, '/']);
    const session = back.headers.getSetCookie().find((line) => line.startsWith('__Host-jn_at='));
    expect(session).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    const cookie = session?.split(';')[0] ?? '';
    const me = await fetch(`${gateway}/api/auth/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ user: { id: user.id, origin: 'acme' } });
  });

  it('signs nobody in who has not begun it in this browser', async () => {
    const browser = await begun();
    const credentials = { email: newAccount(), password: 'any', allow: true };
    const callback = await walkConsent(browser.url, credentials);
    const other = await begun();
    for (const cookie of ['', '__Host-jn_si=forged', other.cookie]) {
      const answer = await browser.open(callback, cookie);
      expect(answer.headers.get('location')).toBe('/sign-in?problem=sign_in_failed');
      expect(answer.headers.getSetCookie().join()).not.toContain('jn_at=');
    }
    expect((await browser.open(callback)).headers.get('location')).toBe('/');
    const replayed = await browser.open(callback);
    expect(replayed.headers.get('location')).toBe('/sign-in?problem=sign_in_failed');
  });

  it('asks no issuer again without a session', async () => {
    const answer = await fetch(`${gateway}/api/auth/session/issuer`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/sign-in?problem=invalid_refresh_token&next=%2F',
    ]);
  });

  it('says so when the issuer refuses', async () => {
    const browser = await begun();
    const credentials = { email: newAccount(), password: 'any', allow: false };
    const callback = await walkConsent(browser.url, credentials);
    const answer = await browser.open(callback);
    expect(answer.headers.get('location')).toBe('/sign-in?problem=sign_in_refused');
  });

  it('knows no other issuer', async () => {
    expect((await api('GET', '/api/auth/sign-in/globex')).status).toBe(404);
  });
});

const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;

const webhook = () => ({
  url: `http://127.0.0.1:9/${randomUUID()}`,
  events: ['draft.created'],
  enabled: true,
});

/** Makes a user with an account at Acme, and with a token of Acme's for our API. */
async function acmeUser(account = newAccount()) {
  const { access_token: token = '' } = await acmeTokens(account);
  const call: Call = (method, path, options) => api(method, path, { token, ...options });
  return { account, token, call };
}

/** Gets tokens as the platform's own product does: as a client of the issuer that requests access to our API. */
async function acmeTokens(account: string) {
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = `${gateway}/api/auth/sign-in/acme/callback`;
  const request = new URLSearchParams({
    client_id: 'junction-sign-in',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid junction',
    resource: 'urn:junction:api',
    state: randomUUID(),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const credentials = { email: account, password: 'any', allow: true };
  const callback = await walkConsent(`${acme}/auth?${request.toString()}`, credentials);
  const answer = await fetch(`${acme}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'junction-sign-in',
      redirect_uri: redirectUri,
      resource: 'urn:junction:api',
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  });
  const tokens = (await answer.json()) as { access_token?: string; id_token?: string };
  expect([answer.status, tokens]).toEqual([
    200,
    expect.objectContaining({ access_token: expect.any(String) }),
  ]);
  return tokens;
}

/** A browser that has asked to sign in at Acme. */
async function begun() {
  const answer = await fetch(`${gateway}/api/auth/sign-in/acme`, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  const line = answer.headers.getSetCookie()[0] ?? '';
  expect(line).toMatch(/^__Host-jn_si=[\w-]+; .*Path=\/; .*HttpOnly; Secure; SameSite=Lax$/);
  const cookie = line.split(';')[0] ?? '';
  return {
    url: answer.headers.get('location') ?? '',
    cookie,
    open: async (url: URL, sent = cookie) =>
      fetch(url, { redirect: 'manual', headers: { cookie: sent } }),
  };
}
