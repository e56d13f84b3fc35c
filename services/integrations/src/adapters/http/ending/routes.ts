import { recentFactor } from '@junction/service/callers';
import { callerOf, ifMatchOf, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';

/** Returns the route that ends an integration, or all of a kind. */
export function endingRoutes(app: Pick<Application, 'disconnect'>): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'disconnectIntegration',
      method: 'delete',
      path: '/api/integrations/:integration',
      summary: 'Disconnect an integration',
      about: 'The tokens are gone when this answers, and are then revoked at the provider.',
      through: [recentFactor],
      status: 204,
      takesIfMatch: true,
      problems: ['integration_not_found', 'unknown_provider', 'connection_contended'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      await app.disconnect(userId, req.params.integration, ifMatchOf(req));
    },
  );

  return router;
}
