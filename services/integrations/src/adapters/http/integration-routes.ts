import { recentFactor } from '@junction/service-kit/callers';
import {
  callerOf,
  ifMatchOf,
  parse,
  type RateLimitState,
  setEntityTag,
  showRateLimit,
} from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { historyQuery } from './history-query.js';
import {
  connectedView,
  historyView,
  identityProviderView,
  integrationView,
  notConnectedView,
} from './views.js';

const CODE_CHARS_MAX = 4_096;
/** As connect and its neighbours take it. */
export const STATE_CHARS_MAX = 512;
const ISS_CHARS_MAX = 2_048;
const RETURN_TO_CHARS_MAX = 2_048;
const IDENTITY_PROVIDER_CHARS_MAX = 100;

export const identityProviderName = z.string().min(1).max(IDENTITY_PROVIDER_CHARS_MAX);

const connectBody = z.strictObject({
  auth_code: z.string().min(1).max(CODE_CHARS_MAX),
  state: z.string().min(1).max(STATE_CHARS_MAX).optional(),
  iss: z.string().min(1).max(ISS_CHARS_MAX).optional(),
  identity_provider: identityProviderName.optional(),
});

const authorizeQuery = z.object({
  identity_provider: identityProviderName.optional(),
  return_to: z.string().min(1).max(RETURN_TO_CHARS_MAX).optional(),
});

/** What is connected: parse, call, answer. */
export function integrationRoutes(app: Application): Router {
  const router = Router();

  router.get('/api/integrations', async (_req, res) => {
    const { userId } = callerOf(res);
    res.json({ integrations: (await app.list(userId)).map(integrationView) });
  });

  // A kind, for its primary integration, or the id of one.
  router.get('/api/integrations/:integration', async (req, res) => {
    const { userId } = callerOf(res);
    const { provider, connection } = await app.find(userId, req.params.integration);
    const view = connection ? integrationView(connection) : notConnectedView(provider);
    // Refreshes change what is shown, and not the version.
    if (connection) setEntityTag(res, connection.version, view);
    res.json(view);
  });

  router.get('/api/integrations/:integration/history', async (req, res) => {
    const { userId } = callerOf(res);
    const { cursor: from, limit } = parse(historyQuery, req.query);
    res.json(historyView(await app.history(userId, req.params.integration, { from, limit })));
  });

  router.post('/api/integrations/:integrationId/primary', async (req, res) => {
    const { userId } = callerOf(res);
    const connection = await app.makePrimary(userId, req.params.integrationId);
    const view = integrationView(connection);
    setEntityTag(res, connection.version, view);
    res.json(view);
  });

  router.delete('/api/integrations/:integration', recentFactor, async (req, res) => {
    const { userId } = callerOf(res);
    await app.disconnect(userId, req.params.integration, ifMatchOf(req));
    res.status(204).end();
  });

  return router;
}

/** How it comes to be connected: parse, call, answer. */
export function connectingRoutes(app: Application): Router {
  const router = Router();

  router.get('/api/integrations/identity-providers', (_req, res) => {
    res.json({ identity_providers: app.identityProviders.map(identityProviderView) });
  });

  router.get('/api/integrations/:provider/authorize', recentFactor, async (req, res) => {
    const { userId } = callerOf(res);
    const { identity_provider: identityProvider, return_to: returnTo } = parse(
      authorizeQuery,
      req.query,
    );
    const asked = { identityProvider, returnTo };
    const begun = await app.authorize(userId, req.params.provider, asked);
    res.json({ authorization_url: begun.authorizationUrl, state: begun.state });
  });

  router.post('/api/integrations/:provider/connect', recentFactor, async (req, res) => {
    const { userId } = callerOf(res);
    const body = parse(connectBody, req.body);
    const { auth_code: authCode, identity_provider: identityProvider, state, iss } = body;
    const onLimit = (state: RateLimitState) => showRateLimit(res, state);
    const presented = { authCode, identityProvider, state, iss, onLimit };
    res.json(connectedView(await app.connect(userId, req.params.provider, presented)));
  });

  return router;
}
