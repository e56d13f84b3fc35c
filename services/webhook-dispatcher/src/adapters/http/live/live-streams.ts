import { callerOf, type EventStreams, mount, type ServerSentEvent } from '@junction/service/http';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import type { Live } from '../../../application/live/live.js';
import type { LiveQuery } from '../../../application/live/ports.js';
import { isWebhookId } from '../ids.js';

const DELIVERIES_READ_MAX = 100;
/** Each may have 256 kB. */
const EVENTS_READ_MAX = 20;

const streamQuery = z.strictObject({
  webhook_id: z.string().refine(isWebhookId, 'must be the id of a webhook.').optional(),
});
const RESUMING =
  'It begins with `stream.opened`, which has the first id: Last-Event-ID goes on where a stream was cut off, within five minutes. One that the product does not know, as after a restore, begins anew with `stream.opened`.';
const lastEventId = z.string().regex(/^[0-9]{1,18}$/);

/** The live tail as server-sent events: what becomes of events at webhooks, and the events themselves. */
export function liveStreams(
  live: Live,
  streams: EventStreams,
  app: Pick<Application, 'reading'>,
): Router {
  const router = Router();
  const follow = follower(live, streams);

  mount(
    router,
    {
      id: 'streamDeliveries',
      method: 'get',
      path: '/api/webhooks/stream',
      summary: 'Follow the attempts and replays of the caller as they happen',
      about: `Server-sent events of type \`delivery.attempted\`, \`delivery.filed\` (a delivery that waits or is held), \`webhook.changed\` (its settings, its circuit, or what waits for it: read it again) and \`operation.progressed\`. ${RESUMING}`,
      query: streamQuery,
      answerType: 'text/event-stream',
      problems: ['webhook_not_found', 'too_many_streams'],
    },
    async ({ req, res, query, signal }) => {
      const { webhook_id: webhookId } = query();
      // The webhook must be the caller's: the stream of another user's webhook would stay empty for ever.
      if (webhookId !== undefined) await app.reading(signal).find(callerOf(res).userId, webhookId);
      const deliveries = { topic: 'deliveries', webhookId, limit: DELIVERIES_READ_MAX } as const;
      await follow({ req, res, signal }, deliveries);
    },
  );

  mount(
    router,
    {
      id: 'streamEvents',
      method: 'get',
      path: '/api/events/stream',
      summary: 'Follow the events of the caller as they come',
      about: `Server-sent events of type \`event.received\`, whether a webhook matches or not: \`message_id\`, \`event_type\`, \`received_at\`, and in \`body\` what a webhook would get, byte for byte. The \`webhook_id\` in it has only zeros. Nothing is signed here: who listens signs with a secret of their own. Events are kept for five minutes, sealed, while somebody listens. ${RESUMING}`,
      answerType: 'text/event-stream',
      problems: ['too_many_streams'],
    },
    async (exchange) => follow(exchange, { topic: 'events', limit: EVENTS_READ_MAX }),
  );

  return router;
}

interface Following {
  readonly req: Pick<Request, 'get'>;
  readonly res: Response;
  readonly signal: AbortSignal;
}

/**
 * Each stream reads on from the number it has sent last, so one that was cut off goes on where it was
 * (Last-Event-ID). It says at its start where that is, for those that are cut off before anything came. A number ahead
 * of all, which is from before a restore, would be silence until the others have reached it: such a stream begins anew.
 */
const follower =
  (live: Live, streams: EventStreams) =>
  async ({ req, res, signal }: Following, query: Omit<LiveQuery, 'after'>) => {
    const { userId } = callerOf(res);
    const entriesOf = live.reading(signal);
    const listen = async () => live.listen(userId, query.topic);
    const seen = lastEventId.safeParse(req.get('last-event-id'));
    await streams.serve(res, async () => {
      await listen();
      const isResumed = seen.success && (await entriesOf.hasReached(seen.data));
      let after = isResumed ? seen.data : await entriesOf.lastId(userId);
      let opening = isResumed ? [] : [{ id: after, type: 'stream.opened', data: {} }];
      return {
        async read() {
          const entries = await entriesOf.read(userId, { ...query, after });
          after = entries.at(-1)?.id ?? after;
          const events = [...opening, ...entries.flatMap(eventsOf)];
          opening = [];
          return { events, more: entries.length === query.limit };
        },
        beat: listen,
      };
    });
  };

/** An event whose body is gone, because the user's key was destroyed meanwhile, is left out. */
function eventsOf(
  entry: Awaited<ReturnType<ReturnType<Live['reading']>['read']>>[number],
): readonly ServerSentEvent[] {
  const { id, type, data, body } = entry;
  if (body === undefined) return type === 'event.received' ? [] : [{ id, type, data }];
  return [{ id, type, data: { ...data, body: body.toString() } }];
}
