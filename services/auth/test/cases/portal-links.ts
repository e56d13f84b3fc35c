import { beforeAll, describe, expect, it } from '@jest/globals';
import { PUBLIC_URL } from '@junction/testing';
import { decodeJwt } from 'jose';
import { type Person, signUp, tokenFor } from '../http-client.js';
import type { UsedAuth } from '../started-auth.js';

const ORIGIN = 'https://app.example.com';
export const PORTAL_ORIGINS = `${ORIGIN},https://other.example.com:8443`;

export function portalLinkCases({ auth, ask }: UsedAuth): void {
  let ada: Person;
  let service: string;
  const make = async (json: object) => ask('POST', '/api/portal-links', { json, token: service });
  const exchange = async (token: string) =>
    ask('POST', '/api/portal-links/exchange', { json: { token } });

  const open = async (userId: string): Promise<Session> => {
    const { body } = await make({ user_id: userId, origin: ORIGIN });
    const answer = await exchange(tokenIn((body as { url: string }).url));
    return answer.body as Session;
  };

  describe('a portal link', () => {
    beforeAll(async () => {
      ada = await signUp(ask);
      service = await tokenFor(ask, auth().worker, 'auth', 'portals:open');
    });

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

    it('is the same one for a request that its service repeats', async () => {
      const json = { user_id: ada.id, origin: ORIGIN };
      const headers = { 'idempotency-key': 'a-link-for-ada' };
      const make = async () => ask('POST', '/api/portal-links', { json, token: service, headers });
      const { body } = await make();
      expect(await make()).toMatchObject({ status: 201, body });
    });

    it('gives a token for webhooks alone: no session, no role, its own audience', async () => {
      const { access_token: token } = await open(ada.id);
      const claims = decodeJwt(token);
      expect(claims).toMatchObject({
        aud: 'junction-portal',
        sub: ada.id,
        client_id: auth().worker.id,
        scope: 'webhooks:read webhooks:write',
      });
      expect(claims).not.toHaveProperty('sid');
      expect(claims).not.toHaveProperty('role');
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
      const nobody = await make({
        user_id: '00000000-0000-4000-8000-000000000000',
        origin: ORIGIN,
      });
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
}

interface Session {
  readonly access_token: string;
  readonly next_token: string;
  readonly session_ends_at: string;
}

const REFUSED = { status: 401, body: { code: 'portal_token_invalid' } };

const tokenIn = (url: string): string => new URL(url).hash.slice(1);
