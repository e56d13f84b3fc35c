import { AppError } from '@junction/errors';
import { BEGINNING, follow, type Position, readableEnd } from '@junction/eventsourcing/postgres';
import { poolUntil } from '@junction/service';
import { answerWithEvents, mount, type SendEvent } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { actorOf } from './actor.js';
import type { Context } from './context.js';
import { cursorOf, positionOf } from './cursor.js';
import { eventView } from './event-view.js';
import { category } from './fields.js';

/** Each holds a stream open, and reads at every commit. */
const FOLLOWERS_MAX = 16;

const followQuery = z.strictObject({
  category: category.optional().describe('Aggregate of the streams; absent: all.'),
  from: z.enum(['beginning']).optional().describe('Absent: what is committed from now on.'),
  cursor: z.string().optional().describe('Cursor of the event after which it goes on.'),
});

/** Adds the route that follows events live, until the caller hangs up or the service stops. */
export function addFollowRoute(tools: Router, context: Context): void {
  const { path, journal } = context;
  let followers = 0;
  mount(
    tools,
    {
      id: 'followServiceEvents',
      method: 'get',
      path: `${path}/events/stream`,
      summary: 'Follow the events of a service as they are committed',
      about:
        'Server-sent events of type `event`, in the order that all readers see, with their cursors as ids. The first is `opened`, whose id says where it begins. The stream ends after some minutes: Last-Event-ID or `cursor` goes on there, and nothing is left out. A failure comes as a `problem`.',
      query: followQuery,
      answerType: 'text/event-stream',
      problems: ['cursor_invalid', 'too_many_followers'],
    },
    async ({ req, res, query, signal }) => {
      const { category, cursor, from } = query();
      const start = startOf(req.get('last-event-id') ?? cursor, from);
      if (followers >= FOLLOWERS_MAX) throw tooManyFollowers();
      followers += 1;
      const pool = poolUntil(context.pool, signal);
      try {
        const asked = { category: category ?? '', from: start ? cursorOf(start) : 'now' };
        await journal.read(actorOf(res), 'FollowEvents', asked);
        const begin = start ?? (await readableEnd(pool));
        await answerWithEvents(res, async (send, signal) =>
          sendFrom(begin, { ...context, pool }, { category, send, signal }),
        );
      } finally {
        followers -= 1;
      }
    },
  );
}

interface Following {
  readonly category: string | undefined;
  readonly send: SendEvent;
  readonly signal: AbortSignal;
}

async function sendFrom(
  from: Position,
  { pool, notifier, stopping, log }: Context,
  { category, send, signal: hungUp }: Following,
): Promise<void> {
  await send({ id: cursorOf(from), type: 'opened', data: {} });
  const signal = AbortSignal.any([hungUp, stopping]);
  const onError = (error: unknown) => log.warn({ err: error }, 'a follower cannot read');
  await follow({ db: pool, notifier, from, category, signal, onError }, async (events) => {
    for (const stored of events) {
      if (signal.aborted) return;
      await send({ id: cursorOf(stored), type: 'event', data: eventView(stored) });
    }
  });
  throw new AppError('service_stopping', 'This service stops. Ask again.');
}

function startOf(cursor: string | undefined, from: 'beginning' | undefined): Position | undefined {
  if (cursor !== undefined) return positionOf(cursor);
  return from && BEGINNING;
}

const tooManyFollowers = () =>
  new AppError(
    'too_many_followers',
    `${FOLLOWERS_MAX} others follow the events of this process. End one of them.`,
  );
