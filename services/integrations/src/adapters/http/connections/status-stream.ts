import { callerOf, type EventStreams, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import { integrationView } from './views.js';

/** Streams a user's integrations as server-sent events: each as it is, and again whenever it changes. */
export function statusStream(app: Pick<Application, 'list'>, streams: EventStreams): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'streamIntegrations',
      method: 'get',
      path: '/api/integrations/stream',
      summary: 'Follow the integrations of the caller',
      about:
        'Server-sent events of type `integration`: each integration as it is, and again whenever it changes.',
      answerType: 'text/event-stream',
      problems: ['too_many_streams'],
    },
    async ({ res }) => {
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
    },
  );

  return router;
}
