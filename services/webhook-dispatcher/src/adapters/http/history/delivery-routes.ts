import type { EventCatalogue } from '@junction/contracts';
import { callerOf, mount, sendExport } from '@junction/service/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { delivery } from '../../postgres/history/history-reads.js';
import { deliveryId } from '../../wire-fields.js';
import * as answers from '../answers.js';
import { deliveryIdOf, webhookIdOf } from '../ids.js';
import { ITEMS_MAX, markOldName, SHORT_PAGES } from '../schemas.js';
import { spending } from '../spending.js';
import { deliveryPageView } from '../views.js';
import { type HistorySchemas, historySchemas, LIST_COSTS, noBody } from './history-schemas.js';

/** Fields in the order in which the schema has them. */
const DELIVERY_EXPORT = { name: 'deliveries', columns: delivery.keyof().options };

/** Deliveries: read, sent again, and without their payloads. */
export function deliveryRoutes(app: Application, catalogue: EventCatalogue): Router {
  const router = Router();
  const schemas = historySchemas(catalogue);
  addLists(router, app, schemas);
  addRequests(router, app, schemas);
  addRedactions(router, app);
  return router;
}

function addLists(router: Router, app: Application, schemas: HistorySchemas): void {
  mount(
    router,
    {
      id: 'listDeliveries',
      method: 'get',
      path: '/api/deliveries',
      summary: 'List the deliveries of all webhooks of the caller, or of one',
      about: `The newest first, without those of webhooks that were deleted. ${SHORT_PAGES}`,
      ...LIST_COSTS,
      through: [markOldName],
      query: schemas.allDeliveriesQuery,
      answer: answers.deliveryPage,
      exports: true,
    },
    async ({ res, query, signal, turn }) => {
      const { webhook_id: webhookId, format, ...filter } = query();
      const { userId } = callerOf(res);
      const { allDeliveries } = app.reading(signal);
      const read = (part: Partial<typeof filter>) =>
        allDeliveries(userId, webhookId, { ...filter, ...part });
      if (format === undefined) return deliveryPageView(await read({}));
      const page = (after = filter.cursor) => turn(() => read({ limit: ITEMS_MAX, cursor: after }));
      return sendExport(res, signal, { ...DELIVERY_EXPORT, format, page });
    },
  );

  mount(
    router,
    {
      id: 'listWebhookDeliveries',
      isRetired: true,
      method: 'get',
      path: '/api/webhooks/:id/deliveries',
      summary: 'List the deliveries of a webhook',
      about: `The newest first. ${SHORT_PAGES}`,
      ...LIST_COSTS,
      through: [markOldName],
      query: schemas.deliveriesQuery,
      answer: answers.deliveryPage,
      problems: ['webhook_not_found'],
    },
    async ({ req, res, query, signal }) => {
      const { userId } = callerOf(res);
      const webhookId = webhookIdOf(req.params.id);
      return deliveryPageView(await app.reading(signal).deliveries(userId, webhookId, query()));
    },
  );
}

function addRequests(router: Router, app: Application, { testBody }: HistorySchemas): void {
  mount(
    router,
    {
      id: 'sendTestEvent',
      method: 'post',
      path: '/api/webhooks/:id/test',
      summary: 'Send a webhook a test event',
      about:
        'The example of a kind of event, or the data of an event that came, marked with `"test": true`. It goes the way of every delivery, signature and retries included.',
      through: [markOldName],
      body: testBody,
      example: { event_type: 'draft.created' },
      answer: answers.sentTest,
      status: 202,
      problems: [
        'webhook_not_found',
        'webhook_disabled',
        'event_not_found',
        'payload_expunged',
        'bytes_spent',
      ],
    },
    async ({ req, res, body }) => {
      const { userId } = callerOf(res);
      const webhookId = webhookIdOf(req.params.id);
      const { deliveryId, messageId } = await spending(app, res, () =>
        app.sendTest(userId, webhookId, body()),
      );
      res.location(deliveryPath(deliveryId));
      return { delivery_id: deliveryId, message_id: messageId };
    },
  );

  addProbe(router, app);
  addRedelivery(router, app);
}

function addProbe(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'probeWebhook',
      method: 'post',
      path: '/api/webhooks/:id/probe',
      summary: 'Try a webhook now',
      about:
        'The delivery that goes next is attempted at once, also while the circuit is open: when it succeeds, the circuit closes, and what waits follows.',
      body: noBody,
      answer: z.object({
        delivery_id: deliveryId
          .nullable()
          .describe('null: none waits, and the next event is sent at once.'),
        attempt: z
          .int()
          .nullable()
          .describe(
            'The number of the attempt that is made: one that is due may be under way already.',
          ),
      }),
      status: 202,
      problems: ['webhook_not_found', 'webhook_disabled', 'webhook_paused', 'bytes_spent'],
    },
    async ({ req, res, body }) => {
      const { userId } = callerOf(res);
      body();
      const webhookId = webhookIdOf(req.params.id);
      const first = await spending(app, res, () => app.probe(userId, webhookId));
      if (first === undefined) return { delivery_id: null, attempt: null };
      res.location(deliveryPath(first.deliveryId));
      return { delivery_id: first.deliveryId, attempt: first.attempt };
    },
  );
}

function addRedelivery(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'redeliver',
      method: 'post',
      path: '/api/webhooks/:id/deliveries/:deliveryId/redeliver',
      summary: 'Send a delivery again, as a new one',
      about:
        'The event goes again under the same message id. A delivery that waits for its retry is sent at once instead.',
      body: noBody,
      answer: z.object({ delivery_id: deliveryId }),
      status: 202,
      problems: [
        'webhook_not_found',
        'delivery_not_found',
        'delivery_under_way',
        'payload_expunged',
        'webhook_disabled',
        'bytes_spent',
      ],
    },
    async ({ req, res, body }) => {
      const { userId } = callerOf(res);
      body();
      const { id, deliveryId } = req.params;
      const webhookId = webhookIdOf(id);
      const again = await spending(app, res, () =>
        app.redeliver(userId, webhookId, deliveryIdOf(deliveryId)),
      );
      res.location(deliveryPath(again));
      return { delivery_id: again };
    },
  );
}

function addRedactions(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'expungePayload',
      method: 'delete',
      path: '/api/webhooks/:id/deliveries/:deliveryId/payload',
      summary: 'Delete what a delivery sent and what came back',
      about: 'The delivery and its attempts stay in lists, without content.',
      status: 204,
      problems: ['webhook_not_found', 'delivery_not_found', 'delivery_under_way'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      const { id, deliveryId } = req.params;
      await app.redactPayload(userId, webhookIdOf(id), deliveryIdOf(deliveryId));
    },
  );

  mount(
    router,
    {
      id: 'expungePayloads',
      method: 'delete',
      path: '/api/webhooks/payloads',
      summary: 'Delete what all deliveries of the caller sent so far',
      about: 'The deliveries and their attempts stay in lists, without content.',
      body: noBody,
      answer: z.object({ requested_at: z.date() }),
      status: 202,
    },
    async ({ res, body }) => {
      const { userId } = callerOf(res);
      body();
      return { requested_at: await app.redactAllPayloads(userId) };
    },
  );
}

/** Returns the path at which the delivery can be followed. */
const deliveryPath = (deliveryId: string): string => `/api/deliveries/${deliveryId}`;
