import { callerOf, type EventStreams, mount } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import type { Live } from '../../application/live.js';
import { isWebhookId } from './ids.js';

const READ_MAX = 100;

const streamQuery = z.strictObject({
  webhook_id: z.string().refine(isWebhookId, 'must be the id of a webhook.').optional(),
});
export const lastEventId = z.string().regex(/^[0-9]{1,18}$/);

/**
 * The live tail as server-sent events. Each stream reads on from the number it has sent last, so one
 * that was cut off goes on where it was (Last-Event-ID).
 */
export function liveStream(
  live: Live,
  streams: EventStreams,
  { find }: Pick<Application, 'find'>,
): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'streamDeliveries',
      method: 'get',
      path: '/api/webhooks/stream',
      summary: 'Follow the attempts and replays of the caller as they happen',
      about:
        'Server-sent events of type `delivery.attempted` and `operation.progressed`. Last-Event-ID goes on where a stream was cut off.',
      query: streamQuery,
      answerType: 'text/event-stream',
      problems: ['webhook_not_found', 'too_many_streams'],
    },
    async ({ req, res, query }) => {
      const { userId } = callerOf(res);
      const { webhook_id: webhookId } = query();
      // Of a webhook that is not the caller's nothing would ever come.
      if (webhookId !== undefined) await find(userId, webhookId);
      const seen = lastEventId.safeParse(req.get('last-event-id'));
      await streams.serve(res, async () => {
        await live.listen(userId, 'deliveries');
        let after = seen.success ? seen.data : await live.lastId(userId);
        return {
          async read() {
            const events = await live.read(userId, {
              after,
              webhookId,
              topic: 'deliveries',
              limit: READ_MAX,
            });
            after = events.at(-1)?.id ?? after;
            return { events, more: events.length === READ_MAX };
          },
          beat: async () => live.listen(userId, 'deliveries'),
        };
      });
    },
  );

  return router;
}
