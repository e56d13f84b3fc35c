import { once } from 'node:events';
import { type BackgroundJob, pause, repeat, signal } from '@junction/async';
import { AppError } from '@junction/errors';
import type { Response } from 'express';
import { type Caller, callerOf, revocableIds } from './caller.js';
import { clientNetworks } from './client-network.js';
import { showRateLimit } from './rate-limit.js';
import {
  beginEvents,
  HEARTBEAT,
  HEARTBEAT_MS,
  onceClosed,
  type ServerSentEvent,
  textOf,
} from './server-sent-events.js';
import { placeFor, STREAMS_OF_USER_MAX, type StreamReader } from './stream-places.js';

export interface EventStreamsOptions {
  /** Returns which of these ids are revoked. Called four times a second, once for all streams, while there are any. */
  readonly revoked: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called when revocations cannot be read. All streams end then: readers who come back are checked again. */
  readonly onError: (error: unknown) => void;
  /** Calls back when there may be something new. Returns a function that ends the calls. */
  readonly onNews: (onCall: () => void) => () => void;
  /** Fewest milliseconds between two reads of one stream. */
  readonly restMs?: number;
}

/** Source of the messages for one reader. */
export interface EventSource {
  /** Returns what is new since the last read; `more`: a next read finds more at once. */
  read(): Promise<{ readonly events: readonly ServerSentEvent[]; readonly more: boolean }>;
  /** Runs at every heartbeat. */
  beat?(): Promise<void>;
}

export interface EventStreams {
  /**
   * Answers an authenticated request with server-sent events (WHATWG HTML, section 9.2) until the reader hangs up or
   * may no longer read: at once when the token or API key expires, and within a second of a revocation. Each stream
   * reads for itself, so a slow reader holds up only itself and costs no memory. When too many are open, whoever has
   * most loses one. AppError `too_many_streams`.
   */
  serve(res: Response, open: () => Promise<EventSource>): Promise<void>;
  /** Ends all streams; their readers come back, to another replica. */
  end(): void;
}

const REST_MS = 100;
const REVOKED_LOOK_MS = 250;
/** An API key may have no end, a stream has. */
const STREAM_MAX_MS = 3_600_000;
const RETRY_MS = 2_000;

export function eventStreams(options: EventStreamsOptions): EventStreams {
  const open: OpenStreams = new Map();
  let watch: BackgroundJob | undefined;
  const end = () => {
    for (const ending of open.keys()) ending.abort();
  };
  const watched = () =>
    repeat(
      REVOKED_LOOK_MS,
      async () => endRevoked(open, options),
      (error) => {
        end();
        options.onError(error);
      },
    );

  return {
    async serve(res, opening) {
      const caller = callerOf(res);
      const reader = { ...caller, networks: clientNetworks(res.req.ip ?? '') };
      admit(res, open, reader);
      const ending = new AbortController();
      onceClosed(res, () => ending.abort());
      const expiry = setTimeout(() => ending.abort(), leftMs(caller));
      open.set(ending, reader);
      watch ??= watched();
      try {
        await stream(res, { source: await opening(), ending: ending.signal }, options);
      } finally {
        clearTimeout(expiry);
        open.delete(ending);
        if (open.size === 0) {
          void watch?.stop();
          watch = undefined;
        }
      }
    },
    end,
  };
}

/** Open streams, the oldest first: the controller that ends each, and its reader. */
type OpenStreams = Map<AbortController, Caller & StreamReader>;

const leftMs = ({ expiresAt }: Caller): number =>
  Math.min((expiresAt?.getTime() ?? Infinity) - Date.now(), STREAM_MAX_MS);

async function endRevoked(
  open: OpenStreams,
  { revoked }: Pick<EventStreamsOptions, 'revoked'>,
): Promise<void> {
  const gone = await revoked([...new Set([...open.values()].flatMap(revocableIds))]);
  for (const [ending, caller] of open) {
    if (revocableIds(caller).some((id) => gone.has(id))) ending.abort();
  }
}

/** Gives the reader a place, which another stream may have to leave at once. */
function admit(res: Response, open: OpenStreams, reader: StreamReader): void {
  const ofUser = [...open.values()].filter(({ userId }) => userId === reader.userId).length;
  const remaining = Math.max(0, STREAMS_OF_USER_MAX - ofUser - 1);
  showRateLimit(res, { name: 'streams', limit: STREAMS_OF_USER_MAX, remaining });
  const ending = placeFor(open, reader);
  if (ending === undefined) throw tooManyStreams();
  for (const stream of ending) {
    stream.abort();
    open.delete(stream);
  }
}

const tooManyStreams = (): AppError =>
  new AppError('too_many_streams', 'Too many streams are open. Close one, or try again later.', {
    retryAfterS: 30,
  });

async function stream(
  res: Response,
  { source, ending }: { readonly source: EventSource; readonly ending: AbortSignal },
  { onNews, restMs = REST_MS }: Pick<EventStreamsOptions, 'onNews' | 'restMs'>,
): Promise<void> {
  beginEvents(res);
  if (res.writableEnded) return;
  const news = signal();
  const hearNoMore = onNews(news.set);
  const send = async (text: string) => {
    if (!res.write(text)) await once(res, 'drain', { signal: ending });
  };

  try {
    await send(`retry: ${RETRY_MS}\n: listening\n\n`);
    let heartbeatAtMs = Date.now() + HEARTBEAT_MS;
    while (!ending.aborted) {
      const { events, more } = await source.read();
      if (ending.aborted) break;
      for (const event of events) await send(textOf(event));
      if (Date.now() >= heartbeatAtMs) {
        await source.beat?.();
        await send(HEARTBEAT);
        heartbeatAtMs = Date.now() + HEARTBEAT_MS;
      }
      if (more) continue;
      // Two reads are a rest apart; a notification meanwhile ends the wait after the rest at once.
      await pause(restMs, ending);
      await news.wait(Math.max(0, heartbeatAtMs - Date.now()), ending);
    }
  } catch (error) {
    // A reader who hung up is no error of ours. The answer has begun, so a real error cannot be answered any more.
    if (!ending.aborted) throw error;
  } finally {
    hearNoMore();
    // Bytes that the reader has not taken would keep the connection open for as long as the reader likes.
    if (res.writableNeedDrain) res.destroy();
    else res.end();
  }
}
