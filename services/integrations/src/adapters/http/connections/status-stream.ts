import { poolUntil, type Reading } from '@junction/service';
import { callerOf, type EventStreams, mount } from '@junction/service/http';
import { Router } from 'express';
import type { z } from 'zod';
import { integrations } from '../../postgres/connections/connection-reads.js';

/** Streams a user's integrations as server-sent events: each as it is, and again whenever it changes. */
export function statusStream(streams: EventStreams, { pool }: Reading): Router {
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
    async ({ res, signal }) => {
      const { userId } = callerOf(res);
      const sent = new Map<string, string>();
      const isNew = (view: z.input<typeof integrations.item>): boolean => {
        const text = JSON.stringify(view);
        if (sent.get(view.integration_id) === text) return false;
        sent.set(view.integration_id, text);
        return true;
      };
      const db = poolUntil(pool, signal);
      const read = async () => {
        const rows = await integrations.rows(db, { user_id: userId });
        const views = rows.map(integrations.show).filter(isNew);
        return { events: views.map((data) => ({ type: 'integration', data })), more: false };
      };
      await streams.serve(res, async () => ({ read }));
    },
  );

  return router;
}
