import { callerOf, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import type { Application } from '../../application/application.js';
import { eventsQuery, noBody, replayBody, statisticsQuery, testBody } from './history-schemas.js';
import {
  eventDetailView,
  eventTypesView,
  eventView,
  operationView,
  replayPreview,
  statisticsView,
} from './history-views.js';
import { deliveryIdOf, messageIdOf, operationIdOf, webhookIdOf } from './ids.js';
import { pageView } from './views.js';

/** What anybody may know: which events there are. */
export function eventTypeRoutes(): Router {
  const router = Router();
  router.get('/api/webhooks/event-types', (_req, res) => {
    res.json(eventTypesView());
  });
  return router;
}

/** Looking back, and sending again. */
export function historyRoutes(app: Application): Router {
  const router = Router();
  addOperationRoutes(router, app);
  addRepeatRoutes(router, app);
  addEventRoutes(router, app);
  addPayloadRoutes(router, app);

  router.get('/api/webhooks/:id/stats', async (req, res) => {
    const { userId } = callerOf(res);
    const span = parse(statisticsQuery, req.query);
    const hours = await app.statistics(userId, webhookIdOf(req.params.id), span);
    res.json({ ...span, ...statisticsView(hours) });
  });

  return router;
}

function addOperationRoutes(router: Router, app: Application): void {
  router.get('/api/webhooks/operations/:id', async (req, res) => {
    const { userId } = callerOf(res);
    res.json(operationView(await app.findReplay(userId, operationIdOf(req.params.id))));
  });

  router.delete('/api/webhooks/operations/:id', async (req, res) => {
    const { userId } = callerOf(res);
    await app.cancelReplay(userId, operationIdOf(req.params.id));
    res.status(204).end();
  });
}

function addRepeatRoutes(router: Router, app: Application): void {
  router.post('/api/webhooks/:id/replay', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const { confirm, from, to: until, kinds, outcomes } = parse(replayBody, req.body);
    const to = new Date(Math.min(until.getTime(), Date.now()));
    const span = { from, to, kinds, outcomes };
    if (confirm) {
      const operation = await app.beginReplay(userId, webhookId, span);
      res.status(202).location(`/api/webhooks/operations/${operation.operationId}`);
      res.json(operationView(operation));
    } else {
      res.json(replayPreview(span, await app.countReplay(userId, webhookId, span)));
    }
  });

  router.post('/api/webhooks/:id/test', async (req, res) => {
    const { userId } = callerOf(res);
    const { kind } = parse(testBody, req.body);
    const webhookId = webhookIdOf(req.params.id);
    const { deliveryId, messageId } = await app.sendTest(userId, webhookId, kind);
    res.status(202).location(deliveryPath(webhookId, deliveryId));
    res.json({ delivery_id: deliveryId, message_id: messageId });
  });

  router.post('/api/webhooks/:id/deliveries/:deliveryId/redeliver', async (req, res) => {
    const { userId } = callerOf(res);
    parse(noBody, req.body);
    const [webhookId, deliveryId] = [
      webhookIdOf(req.params.id),
      deliveryIdOf(req.params.deliveryId),
    ];
    const again = await app.redeliver(userId, webhookId, deliveryId);
    res.status(202).location(deliveryPath(webhookId, again)).json({ delivery_id: again });
  });
}

/** Where to see what becomes of it. */
const deliveryPath = (webhookId: string, deliveryId: string): string =>
  `/api/webhooks/${webhookId}/deliveries/${deliveryId}`;

function addPayloadRoutes(router: Router, app: Application): void {
  router.delete('/api/webhooks/:id/deliveries/:deliveryId/payload', async (req, res) => {
    const { userId } = callerOf(res);
    const { id, deliveryId } = req.params;
    await app.redactPayload(userId, webhookIdOf(id), deliveryIdOf(deliveryId));
    res.status(204).end();
  });

  router.delete('/api/webhooks/payloads', async (req, res) => {
    const { userId } = callerOf(res);
    parse(noBody, req.body);
    res.status(202).json({ requested_at: await app.redactAllPayloads(userId) });
  });
}

function addEventRoutes(router: Router, app: Application): void {
  router.get('/api/events', async (req, res) => {
    const { userId } = callerOf(res);
    const { cursor: after, limit, kind } = parse(eventsQuery, req.query);
    res.json(pageView(await app.events(userId, { after, limit, kind }), eventView));
  });

  router.get('/api/events/:messageId', async (req, res) => {
    const { userId } = callerOf(res);
    res.json(eventDetailView(await app.event(userId, messageIdOf(req.params.messageId))));
  });
}
