import type { EventCatalogue } from '@junction/contracts';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import * as answers from '../answers.js';
import { deliveryIdOf, messageIdOf, webhookIdOf } from '../ids.js';
import { markOldName, SHORT_PAGES } from '../schemas.js';
import { deliveryDetailView } from '../views.js';
import { historySchemas } from './history-schemas.js';
import { eventPageView, eventTypesView, eventView } from './history-views.js';

/** Makes the public route that lists the kinds of events. */
export function eventTypeRoutes(catalogue: EventCatalogue): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'listEventTypes',
      method: 'get',
      path: '/api/webhooks/event-types',
      summary: 'List the kinds of event that a webhook can name',
      about:
        'The kinds of the catalogue, those of EVENT_TYPES_FILE included, each with a description and an example.',
      answer: answers.eventTypes,
    },
    () => eventTypesView(catalogue),
  );
  return router;
}

/** Makes the routes by which users look back. */
export function historyRoutes(app: Application, catalogue: EventCatalogue): Router {
  const router = Router();
  const { eventsQuery } = historySchemas(catalogue);
  mount(
    router,
    {
      id: 'listEvents',
      method: 'get',
      path: '/api/events',
      summary: 'List the events that came for the caller',
      about: `The newest first, each with the webhooks it matched, and why it did not match the others. ${SHORT_PAGES}`,
      cost: 3,
      through: [markOldName],
      costWith: { event_type: 10, kind: 10 },
      query: eventsQuery,
      answer: answers.eventPage,
    },
    async ({ res, query, signal }) => {
      const { userId } = callerOf(res);
      return eventPageView(await app.reading(signal).events(userId, query()));
    },
  );

  mount(
    router,
    {
      id: 'getEvent',
      method: 'get',
      path: '/api/events/:messageId',
      summary: 'Get an event, with its deliveries',
      about: 'Says for each webhook whether the event matched, and why it did not.',
      answer: answers.eventDetail,
      problems: ['event_not_found'],
    },
    async ({ req, res, signal }) => {
      const { userId } = callerOf(res);
      return eventView(await app.reading(signal).event(userId, messageIdOf(req.params.messageId)));
    },
  );
  addDetail(router, app);
  return router;
}

function addDetail(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'getDelivery',
      isRetired: true,
      method: 'get',
      path: '/api/webhooks/:id/deliveries/:deliveryId',
      summary: 'Get a delivery, with what was sent and what came back',
      about: 'Each attempt is listed with what came back. Payloads end with their retention.',
      answer: answers.deliveryDetail,
      problems: ['webhook_not_found', 'delivery_not_found'],
    },
    async ({ req, res, signal }) => {
      const { userId } = callerOf(res);
      const webhookId = webhookIdOf(req.params.id);
      const deliveryId = deliveryIdOf(req.params.deliveryId);
      return deliveryDetailView(await app.reading(signal).delivery(userId, deliveryId, webhookId));
    },
  );

  mount(
    router,
    {
      id: 'findDelivery',
      method: 'get',
      path: '/api/deliveries/:deliveryId',
      summary: 'Get a delivery, with what was sent and what came back',
      about: 'Each attempt is listed with what came back. Payloads end with their retention.',
      answer: answers.deliveryDetail,
      problems: ['delivery_not_found'],
    },
    async ({ req, res, signal }) => {
      const deliveryId = deliveryIdOf(req.params.deliveryId);
      return deliveryDetailView(
        await app.reading(signal).delivery(callerOf(res).userId, deliveryId),
      );
    },
  );
}
