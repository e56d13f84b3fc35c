import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import { webhookIdOf } from '../ids.js';
import { allStatisticsQuery, statistics, statisticsQuery } from './statistics-schemas.js';
import { eachStatisticsView, statisticsView } from './statistics-views.js';

/** Makes the routes that count attempts by hour. */
export function statisticsRoutes(app: Application): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'getStatistics',
      method: 'get',
      path: '/api/webhooks/stats',
      summary: 'Count the attempts of all webhooks of the caller by hour, or of one',
      about:
        'Without a span: the last day. At most 31 days. Those of deleted webhooks are left out.',
      cost: 25,
      costWith: { webhook_id: 5, webhook_ids: 25 },
      query: allStatisticsQuery,
      answer: statistics,
      problems: ['webhook_not_found'],
    },
    async ({ res, query, signal }) => {
      const { userId } = callerOf(res);
      const { webhook_id: webhookId, webhook_ids: webhookIds, ...span } = query();
      const { statistics, eachStatistics, allStatistics } = app.reading(signal);
      const { from, to } = span;
      if (webhookIds) {
        return { from, to, ...eachStatisticsView(await eachStatistics(userId, webhookIds, span)) };
      }
      const counted = webhookId
        ? await statistics(userId, webhookId, span)
        : await allStatistics(userId, span);
      return { from, to, ...statisticsView(counted) };
    },
  );

  addOfWebhook(router, app);
  return router;
}

function addOfWebhook(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'getWebhookStatistics',
      isRetired: true,
      method: 'get',
      path: '/api/webhooks/:id/stats',
      summary: 'Count the attempts of a webhook by hour',
      about: 'Without a span: the last day. At most 31 days.',
      cost: 5,
      query: statisticsQuery,
      answer: statistics,
      problems: ['webhook_not_found'],
    },
    async ({ req, res, query, signal }) => {
      const { userId } = callerOf(res);
      const { from, to, step } = query();
      const webhookId = webhookIdOf(req.params.id);
      const found = await app.reading(signal).statistics(userId, webhookId, { from, to, step });
      return { from, to, ...statisticsView(found) };
    },
  );
}
