import { clientOf } from '@junction/service/callers';
import { mount } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { lifetimeS, provider, scopes, version } from '../../token-fields.js';

const PLACE =
  "For workers, with a service token of the scope `tokens:read`, at the service's own port; through the gateway where TOKENS_THROUGH_GATEWAY is true.";
const SECOND_MS = 1_000;
const EXAMPLE = { user_id: '7f0c9a4e-52b1-4f0f-9d3e-0b8a6f1c2d3e', provider: 'mailbox' };

const account = {
  user_id: z.uuid(),
  provider: provider.describe('mailbox or calendar.'),
  integration_id: z.string().optional().describe('An account. Absent: the primary one.'),
};
const tokenRequest = z.strictObject({
  ...account,
  scopes: scopes.default([]).describe('Scopes that the token must carry. Absent: any.'),
  min_lifetime_s: lifetimeS
    .default(0)
    .describe('Seconds that the token must still live. Absent: it has not expired.'),
});
const refusedToken = z.strictObject({
  ...account,
  credential_version: version.describe('As it came with the token.'),
});

const vendedToken = z.object({
  access_token: z.string().describe('Never to be logged or stored.'),
  expires_at: z.date(),
  scopes: z.array(z.string()).readonly(),
  credential_version: z.int(),
  integration_id: z.string(),
});

/** Returns the routes by which workers ask for tokens over HTTP, as by IntegrationsService over gRPC. */
export function vendingRoutes(app: Vending): Router {
  const router = Router();
  addToken(router, app);
  addReport(router, app);
  return router;
}

type Vending = Pick<Application, 'getAccessToken' | 'reportUnauthorized'>;

function addToken(router: Router, app: Vending): void {
  mount(
    router,
    {
      id: 'getAccessToken',
      method: 'post',
      path: '/api/integrations/tokens',
      summary: 'Get an access token of a connected account, as a worker',
      about: `${PLACE} A token that ends too soon is refreshed first. Ask each time, and keep none.`,
      body: tokenRequest,
      example: EXAMPLE,
      answer: vendedToken,
      problems: [
        'unknown_provider',
        'not_connected',
        'disconnected',
        'revoked',
        'reconnect_required',
        'missing_scope',
        'token_not_renewable',
        'provider_unavailable',
        'refresh_in_progress',
        'connection_contended',
      ],
    },
    async ({ res, body }) => {
      const { user_id: userId, integration_id: integrationId, ...rest } = body();
      const token = await app.getAccessToken({
        userId,
        integrationId,
        provider: rest.provider,
        scopes: rest.scopes,
        minLifetimeMs: rest.min_lifetime_s * SECOND_MS,
        clientId: clientOf(res),
      });
      return {
        access_token: token.accessToken,
        expires_at: token.expiresAt,
        scopes: token.scopes,
        credential_version: token.credentialVersion,
        integration_id: token.connectionId,
      };
    },
  );
}

function addReport(router: Router, app: Vending): void {
  mount(
    router,
    {
      id: 'reportUnauthorized',
      method: 'post',
      path: '/api/integrations/tokens/report',
      summary: 'Report an access token that a provider refused, as a worker',
      about: `${PLACE} The provider is asked about it at once. A greater \`credential_version\` in the answer: ask for a token again.`,
      body: refusedToken,
      example: { ...EXAMPLE, credential_version: 1 },
      answer: z.object({ status: z.string(), credential_version: z.int() }),
      problems: [
        'unknown_provider',
        'not_connected',
        'provider_unavailable',
        'refresh_in_progress',
      ],
    },
    async ({ res, body }) => {
      const { user_id: userId, integration_id: integrationId, ...rest } = body();
      const { status, credentialVersion } = await app.reportUnauthorized({
        userId,
        integrationId,
        provider: rest.provider,
        credentialVersion: rest.credential_version,
        clientId: clientOf(res),
      });
      return { status, credential_version: credentialVersion };
    },
  );
}
