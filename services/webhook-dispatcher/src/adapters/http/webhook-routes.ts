import { callerOf, ifMatchOf, MERGE_PATCH, parse, setEntityTag } from '@junction/service-kit/http';
import { type Response, Router } from 'express';
import type { Application } from '../../application/application.js';
import type { Webhook } from '../../application/ports.js';
import type { TargetProblem } from '../webhook/target-rules.js';
import { deliveryIdOf, webhookIdOf } from './ids.js';
import { deliveryDetailView, deliveryView, healthView, pageView, webhookView } from './views.js';
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
    if (created) res.status(201).location(pathOf(webhook));
    answer(res, webhook);
  });

  router.get('/api/webhooks', async (req, res) => {
    const { userId } = callerOf(res);
    const { cursor: after, limit } = parse(pageQuery, req.query);
    res.json(pageView(await app.list(userId, { after, limit }), webhookView));
  });

  router.get('/api/webhooks/:id', async (req, res) => {
    const { userId } = callerOf(res);
    answer(res, await app.find(userId, webhookIdOf(req.params.id)));
  });

  router.patch('/api/webhooks/:id', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const named = ifMatchOf(req);
    const merged = req.is(MERGE_PATCH) ? await app.merge(userId, webhookId, req.body) : undefined;
    const request = parse(schemas.change, merged ? merged.body : req.body);
    const ifVersion = merged ? withVersion(merged.version, named) : named;
    answer(res, await app.change(userId, webhookId, { ...request, ifVersion }));
  });

  router.post('/api/webhooks/:id/rotate-secret', async (req, res) => {
    const { userId } = callerOf(res);
    const webhookId = webhookIdOf(req.params.id);
    const { secret } = parse(rotation, req.body);
    const wanted = { secret, ifVersion: ifMatchOf(req) };
    const { webhook, newSecret } = await app.rotateSecret(userId, webhookId, wanted);
    answer(res, webhook, newSecret === undefined ? {} : { secret: newSecret });
  });

  router.delete('/api/webhooks/:id', async (req, res) => {
    const { userId } = callerOf(res);
    await app.delete(userId, webhookIdOf(req.params.id), ifMatchOf(req));
    res.status(204).end();
  });

  return addDeliveryRoutes(router, app);
}

const pathOf = ({ webhook_id: id }: Webhook): string => `/api/webhooks/${id}`;

const answer = (res: Response, webhook: Webhook, more: object = {}): void => {
  setEntityTag(res, webhook.version, healthView(webhook));
  res.json({ ...webhookView(webhook), ...more });
};

/** What was merged is right for one version alone, and only if that is among those that were named. */
const withVersion = (merged: number, named: readonly number[] = [merged]): readonly number[] =>
  named.filter((version) => version === merged);

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
