import { build } from '@junction/telemetry';
import { Router } from 'express';
import type { Health } from '../process/health.js';
import type { Metrics } from '../process/metrics.js';

/** Returns the routes for probes and scrapers. They are on the same port, and the gateway never routes to them. */
export function internalRoutes(health: Health, { registry }: Metrics): Router {
  const router = Router();

  router.get('/internal/health/live', (_req, res) => {
    res.json({ status: 'live', ...build() });
  });

  router.get('/internal/health/ready', async (_req, res) => {
    const { ready, failing } = await health.ready();
    const status = ready ? 'ready' : 'not_ready';
    res.status(ready ? 200 : 503);
    res.json({ status, failing, ...build() });
  });

  router.get('/internal/metrics', async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics());
  });

  return router;
}
