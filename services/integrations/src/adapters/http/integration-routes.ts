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
import { connectedView, historyView, integrationView, notConnectedView } from './views.js';

const CODE_CHARS_MAX = 4_096;
/** As connect and its neighbours take it. */
export const STATE_CHARS_MAX = 512;
const ISS_CHARS_MAX = 2_048;
const RETURN_TO_CHARS_MAX = 2_048;

const connectBody = z.strictObject({
  auth_code: z.string().min(1).max(CODE_CHARS_MAX),
  state: z.string().min(1).max(STATE_CHARS_MAX).optional(),
  iss: z.string().min(1).max(ISS_CHARS_MAX).optional(),
});

const authorizeQuery = z.object({
  return_to: z.string().min(1).max(RETURN_TO_CHARS_MAX).optional(),
});

/** /api/integrations: parse, call, answer. */
export function integrationRoutes(app: Application): Router {
  const router = Router();

  router.get('/api/integrations', async (_req, res) => {
    const { userId } = callerOf(res);
    res.json({ integrations: (await app.list(userId)).map(integrationView) });
  });

  router.get('/api/integrations/:provider', async (req, res) => {
    const { userId } = callerOf(res);
    const { provider, connection } = await app.find(userId, req.params.provider);
    const view = connection ? integrationView(connection) : notConnectedView(provider);
    // Refreshes change what is shown, and not the version.
    if (connection) setEntityTag(res, connection.version, view);
    res.json(view);
  });

  router.get('/api/integrations/:provider/history', async (req, res) => {
    const { userId } = callerOf(res);
    const { cursor: from, limit } = parse(historyQuery, req.query);
    res.json(historyView(await app.history(userId, req.params.provider, { from, limit })));
  });

  router.get('/api/integrations/:provider/authorize', async (req, res) => {
    const { userId } = callerOf(res);
    const { return_to: returnTo } = parse(authorizeQuery, req.query);
    const begun = await app.authorize(userId, req.params.provider, returnTo);
    res.json({ authorization_url: begun.authorizationUrl, state: begun.state });
  });

  router.post('/api/integrations/:provider/connect', async (req, res) => {
    const { userId } = callerOf(res);
    const { auth_code: authCode, state, iss } = parse(connectBody, req.body);
    const onLimit = (state: RateLimitState) => showRateLimit(res, state);
    const presented = { authCode, state, iss, onLimit };
    res.json(connectedView(await app.connect(userId, req.params.provider, presented)));
  });

  router.delete('/api/integrations/:provider', async (req, res) => {
    const { userId } = callerOf(res);
    await app.disconnect(userId, req.params.provider, ifMatchOf(req));
    res.status(204).end();
  });

  return router;
}
