import type { EventCatalogue } from '@junction/contracts';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import * as answers from '../answers.js';
import { operationIdOf, webhookIdOf } from '../ids.js';
import { operationView, replayPreview } from '../replay-views.js';
import { markOldName } from '../schemas.js';
import { pageView } from '../views.js';
import { operationsQuery, replayBody } from './replay-schemas.js';

/** Replays: counted, begun, looked at, and cancelled. */
export function replayRoutes(app: Application, catalogue: EventCatalogue): Router {
  const router = Router();
  addOperations(router, app);
  mount(
    router,
    {
      id: 'replayWebhook',
      method: 'post',
      path: '/api/webhooks/:id/replay',
      summary: 'Count what a replay would send, or begin it',
      about:
        'Without `confirm` it answers 200 with the count; with it 202 and the operation, which is counted beside it. Without `outcomes` it takes what did not get through and is not tried again by itself.',
      cost: 100,
      through: [markOldName],
      body: replayBody(catalogue),
      example: { from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z', confirm: false },
      answer: z.union([answers.replayPreview, answers.operation]),
      status: [200, 202],
      problems: ['webhook_not_found', 'webhook_disabled', 'replay_under_way'],
    },
    async ({ req, res, body }) => {
      const { userId } = callerOf(res);
      const webhookId = webhookIdOf(req.params.id);
      const { confirm, from, to: until, kinds, outcomes } = body();
      const to = new Date(Math.min(until.getTime(), Date.now()));
      const span = { from, to, kinds, outcomes };
      if (!confirm) return replayPreview(span, await app.countReplay(userId, webhookId, span));
      const operation = await app.beginReplay(userId, webhookId, span);
      res.status(202).location(`/api/webhooks/operations/${operation.operationId}`);
      return operationView(operation);
    },
  );

  return router;
}

function addOperations(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'listOperations',
      method: 'get',
      path: '/api/webhooks/operations',
      summary: 'List the replays of the caller',
      about: 'The newest first.',
      query: operationsQuery,
      answer: answers.operationPage,
    },
    async ({ res, query }) => {
      const { cursor: after, limit, webhook_id: webhookId } = query();
      const { userId } = callerOf(res);
      return pageView(await app.listReplays(userId, webhookId, { after, limit }), operationView);
    },
  );

  mount(
    router,
    {
      id: 'getOperation',
      method: 'get',
      path: '/api/webhooks/operations/:id',
      summary: 'Get a replay',
      about: 'Says how much the replay has sent, at which rate, and how long it will take.',
      answer: answers.operation,
      problems: ['operation_not_found'],
    },
    async ({ req, res }) =>
      operationView(await app.findReplay(callerOf(res).userId, operationIdOf(req.params.id))),
  );

  mount(
    router,
    {
      id: 'cancelOperation',
      method: 'delete',
      path: '/api/webhooks/operations/:id',
      summary: 'Cancel a replay',
      about: 'Deliveries that the replay has sent stay.',
      status: 204,
      problems: ['operation_not_found'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      await app.cancelReplay(userId, operationIdOf(req.params.id));
    },
  );
}
