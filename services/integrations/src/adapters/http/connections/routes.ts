import { callerOf, mount, setEntityTag } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { integration, integrationView, notConnected, notConnectedView } from './views.js';

/**
 * Returns the routes for connected accounts. `:integration` is a kind, for its primary integration, or the id of an
 * integration.
 */
export function integrationRoutes(app: Application): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'listIntegrations',
      method: 'get',
      path: '/api/integrations',
      summary: 'List the integrations of the caller',
      about:
        'Mailboxes first; of a kind the primary one first, then the oldest. Integrations that have ended stay in the list.',
      answer: z.object({ integrations: z.array(integration) }),
    },
    async ({ res, signal }) => {
      const { userId } = callerOf(res);
      return { integrations: (await app.reading(signal).list(userId)).map(integrationView) };
    },
  );

  mount(
    router,
    {
      id: 'getIntegration',
      method: 'get',
      path: '/api/integrations/:integration',
      summary: 'Get an integration',
      about: 'A kind (`mailbox`, `calendar`) stands for its primary integration.',
      answer: z.union([integration, notConnected]),
      hasVersion: true,
      problems: ['integration_not_found', 'unknown_provider'],
    },
    async ({ req, res, signal }) => {
      const { userId } = callerOf(res);
      const { provider, connection } = await app
        .reading(signal)
        .find(userId, req.params.integration);
      if (!connection) return notConnectedView(provider);
      const view = integrationView(connection);
      // Refreshes change what is shown, and not the version.
      setEntityTag(res, connection.version, view);
      return view;
    },
  );

  return router;
}

/** Returns the route that makes an account the primary of its kind. */
export function primaryRoutes(app: Pick<Application, 'makePrimary'>): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'makeIntegrationPrimary',
      method: 'post',
      path: '/api/integrations/:integrationId/primary',
      summary: 'Make an integration the primary one of its kind',
      about: 'The primary one serves wherever its kind alone is named.',
      answer: integration,
      hasVersion: true,
      problems: ['integration_not_found', 'integration_ended', 'connection_contended'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      const connection = await app.makePrimary(userId, req.params.integrationId);
      const view = integrationView(connection);
      setEntityTag(res, connection.version, view);
      return view;
    },
  );

  return router;
}
