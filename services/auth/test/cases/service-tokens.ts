import { describe, expect, it } from '@jest/globals';
import { PUBLIC_URL } from '@junction/testing';
import { decodeJwt } from 'jose';
import {
  allowInsecureRequests,
  clientCredentialsGrant,
  customFetch,
  discovery,
} from 'openid-client';
import { askForToken } from '../http-client.js';
import type { UsedAuth } from '../started-auth.js';

export function serviceTokenCases({ auth, ask }: UsedAuth): void {
  describe('POST /oauth/token', () => {
    const form = { grant_type: 'client_credentials', audience: 'integrations' };

    it('gives a service a token for one other service, with the scopes it asked for', async () => {
      const { worker } = auth();
      const answer = await askForToken(ask, worker, { ...form, scope: 'tokens:read' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const body = answer.body as { access_token: string };
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 600,
        scope: 'tokens:read',
      });
      expect(decodeJwt(body.access_token)).toMatchObject({
        iss: PUBLIC_URL,
        aud: 'integrations',
        sub: worker.id,
      });
    });

    it('refuses in the words of the RFC, and nothing of it is cached', async () => {
      const { worker } = auth();
      const stranger = { id: 'cli_stranger', secret: worker.secret };
      const guess = { ...worker, secret: 'guess' };
      for (const [client, parameters, expected, error] of [
        [stranger, form, 401, 'invalid_client'],
        [guess, form, 401, 'invalid_client'],
        [worker, { ...form, grant_type: 'password' }, 400, 'unsupported_grant_type'],
        [worker, { ...form, audience: 'webhook-dispatcher' }, 400, 'invalid_target'],
        [worker, { ...form, audience: 'billing' }, 400, 'invalid_target'],
        [worker, { grant_type: 'client_credentials' }, 400, 'invalid_request'],
        [worker, { ...form, scope: 'tokens:read events:publish' }, 400, 'invalid_scope'],
        [worker, { ...form, scope: 'x'.repeat(20_000) }, 413, 'invalid_request'],
      ] as const) {
        const { status, headers, body } = await askForToken(ask, client, parameters);
        expect([status, body]).toEqual([
          expected,
          { error, error_description: expect.any(String) },
        ]);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('www-authenticate')?.startsWith('Basic') ?? false).toBe(
          expected === 401,
        );
      }
      const json = await ask('POST', '/oauth/token', { json: form });
      expect(json).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    });
  });

  describe('GET /.well-known/oauth-authorization-server', () => {
    it('leads a library from the issuer to a token', async () => {
      const path = '/.well-known/oauth-authorization-server';
      const { status, headers, body } = await ask('GET', path);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
      expect(body).toMatchObject({
        issuer: PUBLIC_URL,
        jwks_uri: `${PUBLIC_URL}/.well-known/jwks.json`,
        response_types_supported: [],
      });

      const { worker, url } = auth();
      const found = await discovery(new URL(PUBLIC_URL), worker.id, worker.secret, undefined, {
        algorithm: 'oauth2',
        execute: [allowInsecureRequests],
        [customFetch]: async (asked, options) =>
          fetch(asked.replace(PUBLIC_URL, url), options as RequestInit),
      });
      const parameters = { audience: 'integrations', scope: 'tokens:read' };
      const token = await clientCredentialsGrant(found, parameters);
      expect(decodeJwt(token.access_token)).toMatchObject({ iss: PUBLIC_URL, sub: worker.id });
    });
  });

  describe('GET /.well-known/jwks.json', () => {
    it('publishes public keys only, for a while', async () => {
      const { status, headers, body } = await ask('GET', '/.well-known/jwks.json');
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
      expect(body).toEqual({
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: expect.any(String),
            kid: expect.any(String),
            alg: 'EdDSA',
            use: 'sig',
          },
        ],
      });
    });
  });
}
