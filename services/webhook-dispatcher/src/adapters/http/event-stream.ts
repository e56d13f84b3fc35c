import {
  callerOf,
  type EventStreams,
  mount,
  type ServerSentEvent,
} from '@junction/service-kit/http';
import { Router } from 'express';
import type { Live } from '../../application/live.js';
import { lastEventId } from './live-stream.js';

/** Each may have 256 kB. */
const READ_MAX = 20;

/** The events themselves as they come, for who has no address that the internet can reach. */
export function eventStream(live: Live, streams: EventStreams): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'streamEvents',
      method: 'get',
      path: '/api/events/stream',
      summary: 'Follow the events of the caller as they come',
      about:
        'Server-sent events of type `event.received`, whether a webhook matches or not: `message_id`, `event_type`, `received_at`, and in `body` what a webhook would get, byte for byte. The `webhook_id` in it has only zeros. Nothing is signed here: who listens signs with a secret of their own. Events are kept for five minutes, sealed, while somebody listens: Last-Event-ID goes on where a stream was cut off.',
      answerType: 'text/event-stream',
      problems: ['too_many_streams'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      const seen = lastEventId.safeParse(req.get('last-event-id'));
      await streams.serve(res, async () => {
        await live.listen(userId, 'events');
        let after = seen.success ? seen.data : await live.lastId(userId);
        return {
          async read() {
            const query = { after, topic: 'events', limit: READ_MAX } as const;
            const entries = await live.read(userId, query);
            after = entries.at(-1)?.id ?? after;
            return { events: entries.flatMap(eventOf), more: entries.length === READ_MAX };
          },
          beat: async () => live.listen(userId, 'events'),
        };
      });
    },
  );

  return router;
}

/** None when the user's key was destroyed meanwhile. */
function eventOf(entry: Awaited<ReturnType<Live['read']>>[number]): readonly ServerSentEvent[] {
  const { id, type, data, body } = entry;
  return body === undefined ? [] : [{ id, type, data: { ...data, body: body.toString() } }];
}
