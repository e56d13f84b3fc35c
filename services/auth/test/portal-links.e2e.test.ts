import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useBroker, useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import { askOf, type Person, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { type Client, PUBLIC_URL, type StartedAuth, startAuth } from './started-auth.js';

const ORIGIN = 'https://app.example.com';
const PORTAL_ORIGINS = `${ORIGIN},https://other.example.com:8443`;
const LINKS = '/api/portal-links';
const EXCHANGE = '/api/portal-links/exchange';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
let ada: Person;
let service: string;
const ask = askOf(() => auth.url);

beforeAll(async () => {
  auth = await startAuth(database(), broker, { PORTAL_ORIGINS });
  ada = await signUp(ask);
  service = await serviceToken(auth.worker, 'auth', 'portals:open');
});
afterAll(() => auth.dispose());

describe('a portal link', () => {
  it('is made for a service, opens the portal once, and is carried on token by token', async () => {
    const appearance = {
      product_name: 'Acme',
      accent_color: '#0B7285',
      logo_url: `${ORIGIN}/logo.svg`,
      color_scheme: 'dark',
    };
    const link = await make({ user_id: ada.id, origin: ORIGIN, appearance });
    expect(link.status).toBe(201);
    const { url, expires_at } = link.body as { url: string; expires_at: string };
    expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/portal#jn_pt_[\\w-]{43}$`));
    expect(new URL(url).search).toBe('');
    const livesS = (Date.parse(expires_at) - Date.now()) / 1_000;
    expect(livesS).toBeGreaterThan(200);
    expect(livesS).toBeLessThanOrEqual(300);

    const opened = await exchange(tokenIn(url));
    expect(opened).toMatchObject({
      status: 200,
      body: {
        token_type: 'Bearer',
        expires_in: 600,
        user_id: ada.id,
        origin: ORIGIN,
        appearance: { ...appearance, accent_color: '#0b7285' },
      },
    });
    expect(await exchange(tokenIn(url))).toMatchObject(REFUSED);

    const first = opened.body as Session;
    const next = await exchange(first.next_token);
    expect(next).toMatchObject({
      status: 200,
      body: { user_id: ada.id, session_ends_at: first.session_ends_at },
    });
    expect(await exchange(first.next_token)).toMatchObject(REFUSED);
  });

  it('gives a token for webhooks alone: no session, no role, its own audience', async () => {
    const { access_token: token } = await open(ada.id);
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      aud: 'junction-portal',
      sub: ada.id,
      client_id: auth.worker.id,
      scope: 'webhooks:read webhooks:write',
    });
    expect(claims).not.toHaveProperty('sid');
    expect(claims).not.toHaveProperty('role');
    for (const [method, path, code = 'insufficient_scope'] of CLOSED) {
      const answer = await ask(method, path, { token, ...(method === 'POST' && { json: {} }) });
      expect([path, answer.status, answer.body]).toEqual([
        path,
        403,
        expect.objectContaining({ code }),
      ]);
    }
    const cookie = { headers: { cookie: `__Host-jn_at=${token}` } };
    expect((await ask('GET', '/api/auth/me', cookie)).status).toBe(401);
    expect((await make({ user_id: ada.id, origin: ORIGIN }, token)).status).toBe(401);
  });

  it('is made for no user, no key and no service without the scope', async () => {
    const body = { user_id: ada.id, origin: ORIGIN };
    const created = await ask('POST', '/api/auth/api-keys', {
      json: { name: 'laptop' },
      token: ada.accessToken,
    });
    const { key } = created.body as { key: string };
    const elsewhere = await serviceToken(auth.worker, 'integrations', 'tokens:read');
    for (const token of [ada.accessToken, key, elsewhere, 'x', '']) {
      expect(await make(body, token)).toMatchObject({
        status: 401,
        body: { code: 'service_token_refused' },
      });
    }
    const withoutScope = await serviceToken(auth.worker, 'auth', 'ops:write');
    expect(await make(body, withoutScope)).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
  });

  it.each([
    ['another origin', { origin: 'https://evil.example.com' }],
    ['an origin with a path', { origin: `${ORIGIN}/` }],
    ['an origin with a port', { origin: `${ORIGIN}:444` }],
    ['a wildcard', { origin: '*' }],
    ['a logo of elsewhere', { appearance: { logo_url: 'https://evil.example.com/p.gif' } }],
  ])('is refused for %s', async (_, changed) => {
    expect(await make({ user_id: ada.id, origin: ORIGIN, ...changed })).toMatchObject({
      status: 403,
      body: { code: 'portal_origin_not_allowed' },
    });
  });

  it.each([
    ['a colour that is more than one', { accent_color: '#fff;background:url(//evil)' }],
    ['a colour by name', { accent_color: 'red' }],
    ['a logo by script', { logo_url: 'javascript:alert(1)' }],
    ['a logo in the link', { logo_url: 'data:image/svg+xml,<svg/>' }],
    ['a logo with a password', { logo_url: 'https://a:b@app.example.com/logo.svg' }],
    ['a name with a line break', { product_name: 'Acme\nLog in here' }],
    ['a member that nobody knows', { css: 'body{}' }],
  ])('is refused with %s', async (_, appearance) => {
    expect(await make({ user_id: ada.id, origin: ORIGIN, appearance })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('is refused for a user who is not there, and ends with the account', async () => {
    const nobody = await make({ user_id: '00000000-0000-4000-8000-000000000000', origin: ORIGIN });
    expect(nobody).toMatchObject({ status: 404, body: { code: 'user_not_found' } });

    const alan = await signUp(ask);
    const { next_token } = await open(alan.id);
    const unopened = await make({ user_id: alan.id, origin: ORIGIN });
    const deleted = await ask('DELETE', '/api/auth/me', {
      json: { password: alan.password },
      token: alan.accessToken,
    });
    expect(deleted.status).toBe(200);
    expect(await exchange(next_token)).toMatchObject(REFUSED);
    const { url } = unopened.body as { url: string };
    expect(await exchange(tokenIn(url))).toMatchObject(REFUSED);
  });

  it.each(['', 'jn_pt_x', `jn_pt_${'A'.repeat(43)}`])('is not opened by "%s"', async (token) => {
    expect((await exchange(token)).status).toBe(token === '' ? 400 : 401);
  });
});

interface Session {
  readonly access_token: string;
  readonly next_token: string;
  readonly session_ends_at: string;
}

const REFUSED = { status: 401, body: { code: 'portal_token_invalid' } };

/** Requests that a session may send, and a portal may not. */
const CLOSED: readonly (readonly [method: string, path: string, code?: string])[] = [
  ['GET', '/api/auth/me'],
  ['GET', '/api/auth/sessions'],
  ['GET', '/api/auth/api-keys'],
  ['POST', '/api/auth/api-keys', 'session_required'],
  ['GET', '/api/auth/export'],
  ['GET', '/api/ops/auth/health'],
];

const tokenIn = (url: string): string => new URL(url).hash.slice(1);

const make = async (json: object, token = service) => ask('POST', LINKS, { json, token });
const exchange = async (token: string) => ask('POST', EXCHANGE, { json: { token } });

async function open(userId: string): Promise<Session> {
  const { body } = await make({ user_id: userId, origin: ORIGIN });
  const answer = await exchange(tokenIn((body as { url: string }).url));
  return answer.body as Session;
}

async function serviceToken({ id, secret }: Client, audience: string, scope: string) {
  const answer = await ask('POST', '/oauth/token', {
    text: new URLSearchParams({ grant_type: 'client_credentials', audience, scope }).toString(),
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  return (answer.body as { access_token: string }).access_token;
}
