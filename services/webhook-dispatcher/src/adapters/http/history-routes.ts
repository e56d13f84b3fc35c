import { callerOf, mount } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import * as answers from './answers.js';
import { eventsQuery, replayBody, statisticsQuery } from './history-schemas.js';
import {
  eventDetailView,
  eventTypesView,
  eventView,
  operationView,
  replayPreview,
  statisticsView,
} from './history-views.js';
import { messageIdOf, operationIdOf, webhookIdOf } from './ids.js';
import { pageView } from './views.js';

/** What anybody may know: which events there are. */
export function eventTypeRoutes(): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'listEventTypes',
      method: 'get',
      path: '/api/webhooks/event-types',
      summary: 'List the kinds of event that a webhook can name',
      answer: answers.eventTypes,
    },
    eventTypesView,
  );
  return router;
}

/** Looking back, and sending again. */
export function historyRoutes(app: Application): Router {
  const router = Router();
  addOperations(router, app);
  addEvents(router, app);

  mount(
    router,
    {
      id: 'replayWebhook',
      method: 'post',
      path: '/api/webhooks/:id/replay',
      summary: 'Count what a replay would send, or begin it',
      about:
        'Without `confirm` it answers 200 with the count; with it 202 and the operation. Without `outcomes` it takes what did not get through and is not tried again by itself.',
      body: replayBody,
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

  addStatistics(router, app);
  return router;
}

function addStatistics(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'getWebhookStatistics',
      method: 'get',
      path: '/api/webhooks/:id/stats',
      summary: 'Count the attempts of a webhook by hour',
      about: 'Without a span: the last day. At most 31 days.',
      query: statisticsQuery,
      answer: answers.statistics,
      problems: ['webhook_not_found'],
    },
    async ({ req, res, query }) => {
      const { userId } = callerOf(res);
      const span = query();
      const webhookId = webhookIdOf(req.params.id);
      return { ...span, ...statisticsView(await app.statistics(userId, webhookId, span)) };
    },
  );

  mount(
    router,
    {
      id: 'getStatistics',
      method: 'get',
      path: '/api/webhooks/stats',
      summary: 'Count the attempts of all webhooks of the caller by hour',
      about:
        'Without a span: the last day. At most 31 days. Those of deleted webhooks are left out.',
      query: statisticsQuery,
      answer: answers.statistics,
    },
    async ({ res, query }) => {
      const span = query();
      return { ...span, ...statisticsView(await app.allStatistics(callerOf(res).userId, span)) };
    },
  );
}

function addOperations(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'getOperation',
      method: 'get',
      path: '/api/webhooks/operations/:id',
      summary: 'Get a replay',
      answer: answers.operation,
      problems: ['operation_not_found'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      return operationView(await app.findReplay(userId, operationIdOf(req.params.id)));
    },
  );

  mount(
    router,
    {
      id: 'cancelOperation',
      method: 'delete',
      path: '/api/webhooks/operations/:id',
      summary: 'Cancel a replay',
      about: 'What it has sent is sent.',
      status: 204,
      problems: ['operation_not_found'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      await app.cancelReplay(userId, operationIdOf(req.params.id));
    },
  );
}

function addEvents(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'listEvents',
      method: 'get',
      path: '/api/events',
      summary: 'List the events that came for the caller',
      about:
        'The newest first, each with the webhooks it matched, and why it did not match the others.',
      query: eventsQuery,
      answer: answers.eventPage,
    },
    async ({ res, query }) => {
      const { userId } = callerOf(res);
      const { cursor: after, limit, kind } = query();
      return pageView(await app.events(userId, { after, limit, kind }), eventView);
    },
  );

  mount(
    router,
    {
      id: 'getEvent',
      method: 'get',
      path: '/api/events/:messageId',
      summary: 'Get an event, with its deliveries',
      answer: answers.eventDetail,
      problems: ['event_not_found'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      return eventDetailView(await app.event(userId, messageIdOf(req.params.messageId)));
    },
  );
}
