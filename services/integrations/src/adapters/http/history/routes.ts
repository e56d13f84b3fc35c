import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import { historyQuery } from './query.js';
import { historyPage, historyView } from './views.js';

/** Returns the route for the history of an integration. */
export function historyRoutes(app: Pick<Application, 'reading'>): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'listIntegrationHistory',
      method: 'get',
      path: '/api/integrations/:integration/history',
      summary: 'List what happened to an integration',
      about: 'The newest first. Nothing of a token is in it.',
      query: historyQuery,
      answer: historyPage,
      problems: ['integration_not_found', 'unknown_provider'],
    },
    async ({ req, res, query, signal }) => {
      const { userId } = callerOf(res);
      const { cursor: from, limit } = query();
      return historyView(
        await app.reading(signal).history(userId, req.params.integration, { from, limit }),
      );
    },
  );

  return router;
}
