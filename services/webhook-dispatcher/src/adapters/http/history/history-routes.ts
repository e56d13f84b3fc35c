import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import * as answers from '../answers.js';
import { messageIdOf, webhookIdOf } from '../ids.js';
import { statistics } from '../statistics/statistics-answer.js';
import { pageView } from '../views.js';
import {
  allStatisticsQuery,
  eventsQuery,
  filterPreviewBody,
  statisticsQuery,
} from './history-schemas.js';
import {
  eachStatisticsView,
  eventDetailView,
  eventTypesView,
  eventView,
  statisticsView,
  triedEventView,
} from './history-views.js';

/** Makes the public route that lists the kinds of events. */
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

/** Makes the routes by which users look back. */
export function historyRoutes(app: Application): Router {
  const router = Router();
  addEvents(router, app);
  addFilterPreview(router, app);
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
      answer: statistics,
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
      query: allStatisticsQuery,
      answer: statistics,
    },
    async ({ res, query }) => {
      const { userId } = callerOf(res);
      const { webhook_ids: webhookIds, ...span } = query();
      const numbers =
        webhookIds === undefined
          ? statisticsView(await app.allStatistics(userId, span))
          : eachStatisticsView(await app.eachStatistics(userId, webhookIds, span));
      return { ...span, ...numbers };
    },
  );
}

/** Before it is saved, a filter is tried with what came. */
function addFilterPreview(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'previewFilter',
      method: 'post',
      path: '/api/webhooks/filter-preview',
      summary: 'Try a filter with the latest events',
      about:
        'With the latest 20 that were sent to a webhook of the caller, and the examples of the kinds that are not among them. Without `events` with every kind. Nothing is changed.',
      body: filterPreviewBody,
      example: { filter: { path: 'categorized.important', gt: 0 }, events: ['inbox.organized'] },
      answer: answers.triedEvents,
    },
    async ({ res, body }) => {
      const items = await app.previewFilter(callerOf(res).userId, body());
      return pageView({ items }, triedEventView);
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
