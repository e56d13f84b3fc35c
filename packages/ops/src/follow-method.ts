import type { FollowEventsResponse, OpsServiceServer } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { BEGINNING, follow, type Position, readableEnd } from '@junction/eventsourcing-postgres';
import { type Send, serverStream } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import { cursorOf, positionOf } from './cursor.js';
import { eventView } from './event-view.js';
import type { Methods } from './methods.js';
import { followRequest } from './requests.js';

/** Each holds a stream open, and reads at every commit. */
const FOLLOWERS_MAX = 16;

/** Implements the method that follows events live, until the caller hangs up or `stopping` aborts. */
export function followMethod(
  { pool, notifier, journal, log }: Methods,
  stopping: AbortSignal,
): Pick<OpsServiceServer, 'followEvents'> {
  let followers = 0;

  const followEvents = serverStream(
    log,
    async (request, send: Send<FollowEventsResponse>, { caller, signal }) => {
      const { category, from } = parse(followRequest, request);
      const start = await startOf(from);
      if (followers >= FOLLOWERS_MAX) throw tooManyFollowers();
      followers += 1;
      try {
        const asked = { category: category ?? '', from: start ? cursorOf(start) : 'now' };
        await journal.read(caller, 'FollowEvents', asked);
        await following(category, start ?? (await readableEnd(pool)), send, signal);
      } finally {
        followers -= 1;
      }
    },
  );

  async function following(
    category: string | undefined,
    from: Position,
    send: Send<FollowEventsResponse>,
    hungUp: AbortSignal,
  ): Promise<void> {
    await send({ event: undefined, cursor: cursorOf(from) });
    const signal = AbortSignal.any([hungUp, stopping]);
    const onError = (error: unknown) => log.warn({ err: error }, 'a follower cannot read');
    await follow({ db: pool, notifier, from, category, signal, onError }, async (events) => {
      for (const stored of events) {
        if (signal.aborted) return;
        const event = eventView(stored);
        await send({ event, cursor: event.cursor });
      }
    });
    throw new AppError('service_stopping', 'This service stops. Ask again.');
  }

  return { followEvents };
}

type From = ReturnType<typeof followRequest.parse>['from'];

async function startOf(from: From): Promise<Position | undefined> {
  if (from?.$case === 'cursor') return positionOf(from.value);
  return from?.$case === 'beginning' && from.value ? BEGINNING : undefined;
}

const tooManyFollowers = () =>
  new AppError(
    'too_many_followers',
    `${FOLLOWERS_MAX} others follow the events of this process. End one of them.`,
  );
