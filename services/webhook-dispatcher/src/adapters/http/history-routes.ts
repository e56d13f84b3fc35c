import { callerOf, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import type { History } from '../../application/history.js';
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
export function historyRoutes(history: History): Router {
  const router = Router();
  addOperationRoutes(router, history);
  addRepeatRoutes(router, history);
  addEventRoutes(router, history);
  addPayloadRoutes(router, history);

  router.get('/api/webhooks/:id/stats', async (req, res) => {
    const { userId } = callerOf(res);
    const span = parse(statisticsQuery, req.query);
    const hours = await history.statistics(userId, webhookIdOf(req.params.id), span);
    res.json({ ...span, ...statisticsView(hours) });
  });

  return router;
}

function addOperationRoutes(router: Router, history: History): void {
  router.get('/api/webhooks/operations/:id', async (req, res) => {
    const { userId } = callerOf(res);
    res.json(operationView(await history.operation(userId, operationIdOf(req.params.id))));
  });

  router.delete('/api/webhooks/operations/:id', async (req, res) => {
    const { userId } = callerOf(res);
    await history.cancel(userId, operationIdOf(req.params.id));
    res.status(204).end();
  });
}

function addRepeatRoutes(router: Router, history: History): void {
  router.post('/api/webhooks/:id/replay', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const { confirm, from, to: until, kinds, outcomes } = parse(replayBody, req.body);
    const to = new Date(Math.min(until.getTime(), Date.now()));
    const span = { from, to, kinds, outcomes };
    if (confirm) {
      res.status(202).json(operationView(await history.replay(userId, webhookId, span)));
    } else {
      res.json(replayPreview(span, await history.countReplay(userId, webhookId, span)));
    }
  });

  router.post('/api/webhooks/:id/test', async (req, res) => {
    const { userId } = callerOf(res);
    const { kind } = parse(testBody, req.body);
    const sent = await history.test(userId, webhookIdOf(req.params.id), kind);
    res.status(202).json({ delivery_id: sent.deliveryId, message_id: sent.messageId });
  });

  router.post('/api/webhooks/:id/deliveries/:deliveryId/redeliver', async (req, res) => {
    const { userId } = callerOf(res);
    parse(noBody, req.body);
    const [webhookId, deliveryId] = [
      webhookIdOf(req.params.id),
      deliveryIdOf(req.params.deliveryId),
    ];
    const again = await history.redeliver(userId, webhookId, deliveryId);
    res.status(202).json({ delivery_id: again });
  });
}

function addPayloadRoutes(router: Router, history: History): void {
  router.delete('/api/webhooks/:id/deliveries/:deliveryId/payload', async (req, res) => {
    const { userId } = callerOf(res);
    const { id, deliveryId } = req.params;
    await history.redactPayload(userId, webhookIdOf(id), deliveryIdOf(deliveryId));
    res.status(204).end();
  });

  router.delete('/api/webhooks/payloads', async (req, res) => {
    const { userId } = callerOf(res);
    parse(noBody, req.body);
    res.status(202).json({ requested_at: await history.redactAllPayloads(userId) });
  });
}

function addEventRoutes(router: Router, history: History): void {
  router.get('/api/events', async (req, res) => {
    const { userId } = callerOf(res);
    const { cursor: after, limit, kind } = parse(eventsQuery, req.query);
    res.json(pageView(await history.events(userId, { after, limit, kind }), eventView));
  });

  router.get('/api/events/:messageId', async (req, res) => {
    const { userId } = callerOf(res);
    res.json(eventDetailView(await history.event(userId, messageIdOf(req.params.messageId))));
  });
}
