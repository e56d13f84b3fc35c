import { callerOf, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import type { Application } from '../../application/application.js';
import type { TargetProblem } from '../webhook/target-rules.js';
import { deliveryIdOf, webhookIdOf } from './ids.js';
import { deliveryDetailView, deliveryView, pageView, webhookView } from './views.js';
import { deliveriesQuery, pageQuery, rotation, webhookSchemas } from './webhook-schemas.js';

/** /api/webhooks: parse, call, answer. */
export function webhookRoutes(
  app: Application,
  problemOf: (url: string) => TargetProblem | undefined,
): Router {
  const schemas = webhookSchemas(problemOf);
  const router = Router();

  router.post('/api/webhooks/configure', async (req, res) => {
    const { userId } = callerOf(res);
    const request = parse(schemas.configure, req.body);
    const { created, webhook } = await app.configure(userId, request);
    res.status(created ? 201 : 200).json(webhookView(webhook));
  });

  router.get('/api/webhooks', async (req, res) => {
    const { userId } = callerOf(res);
    const { cursor: after, limit } = parse(pageQuery, req.query);
    res.json(pageView(await app.list(userId, { after, limit }), webhookView));
  });

  router.get('/api/webhooks/:id', async (req, res) => {
    const { userId } = callerOf(res);
    res.json(webhookView(await app.find(userId, webhookIdOf(req.params.id))));
  });

  router.patch('/api/webhooks/:id', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const request = parse(schemas.change, req.body);
    res.json(webhookView(await app.change(userId, webhookId, request)));
  });

  router.post('/api/webhooks/:id/rotate-secret', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const { secret } = parse(rotation, req.body);
    const { webhook, newSecret } = await app.rotateSecret(userId, webhookId, secret);
    res.json({ ...webhookView(webhook), ...(newSecret !== undefined && { secret: newSecret }) });
  });

  router.delete('/api/webhooks/:id', async (req, res) => {
    const { userId } = callerOf(res);
    await app.delete(userId, webhookIdOf(req.params.id));
    res.status(204).end();
  });

  return addDeliveryRoutes(router, app);
}

function addDeliveryRoutes(router: Router, app: Application): Router {
  router.get('/api/webhooks/:id/deliveries', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const { cursor: after, ...filter } = parse(deliveriesQuery, req.query);
    const page = await app.deliveries(userId, webhookId, { ...filter, after });
    res.json(pageView(page, deliveryView));
  });

  router.get('/api/webhooks/:id/deliveries/:deliveryId', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const deliveryId = deliveryIdOf(req.params.deliveryId);
    const { delivery, requests } = await app.delivery(userId, webhookId, deliveryId);
    res.json(deliveryDetailView(delivery, requests));
  });

  return router;
}
