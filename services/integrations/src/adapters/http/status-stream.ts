import { callerOf, type EventStreams } from '@junction/service-kit/http';
import { Router } from 'express';
import type { Application } from '../../application/application.js';
import { integrationView } from './views.js';

/** A user's integrations as server-sent events: each as it is, and again whenever it changes. */
export function statusStream(app: Pick<Application, 'list'>, streams: EventStreams): Router {
  const routes = Router();

  routes.get('/api/integrations/stream', async (_req, res) => {
    const { userId } = callerOf(res);
    const sent = new Map<string, string>();
    const isNew = (view: ReturnType<typeof integrationView>): boolean => {
      const text = JSON.stringify(view);
      if (sent.get(view.integration_id) === text) return false;
      sent.set(view.integration_id, text);
      return true;
    };
    const read = async () => {
      const views = (await app.list(userId)).map(integrationView).filter(isNew);
      return { events: views.map((data) => ({ type: 'integration', data })), more: false };
    };
    await streams.serve(res, async () => ({ read }));
  });

  return routes;
}
