import { once } from 'node:events';
import { AppError } from '@junction/errors';
import { type Caller, callerOf, parse } from '@junction/service-kit';
import { type Response, Router } from 'express';
import { z } from 'zod';
import type { Live } from '../../application/live.js';
import { isWebhookId } from './ids.js';

export interface LiveStreamOptions {
  readonly live: Live;
  /** Is the session or the user revoked? Asked at every heartbeat. */
  readonly revoked: (ids: readonly string[]) => Promise<boolean>;
  readonly heartbeatMs?: number;
}

export interface LiveStreams {
  readonly routes: Router;
  /** Ends all of them; their readers come back, to another replica. */
  end(): void;
}

const HEARTBEAT_MS = 15_000;
/** Two reads of one stream are this far apart at least. */
const REST_MS = 100;
const READ_MAX = 100;
/** An API key has no end, a stream has. */
const STREAM_MAX_MS = 3_600_000;
const STREAMS_OF_USER_MAX = 10;
const STREAMS_MAX = 500;
const RETRY_MS = 2_000;

const streamQuery = z.strictObject({
  webhook_id: z.string().refine(isWebhookId, 'must be the id of a webhook.').optional(),
});
const lastEventId = z.string().regex(/^[0-9]{1,18}$/);

/**
 * The live tail as server-sent events (WHATWG HTML, section 9.2). Each stream reads on from the number
 * it has sent last, so a slow reader holds up itself alone and costs no memory, and one that was cut off
 * goes on where it was (Last-Event-ID).
 */
export function liveStreams(options: LiveStreamOptions): LiveStreams {
  const open = new Map<AbortController, string>();
  const routes = Router();

  routes.get('/api/webhooks/stream', async (req, res) => {
    const caller = callerOf(res);
    const { webhook_id: webhookId } = parse(streamQuery, req.query);
    admit(open, caller.userId);
    const seen = lastEventId.safeParse(req.get('last-event-id'));
    const ending = new AbortController();
    res.once('close', () => ending.abort());
    open.set(ending, caller.userId);
    try {
      const { live } = options;
      await live.listen(caller.userId);
      const after = seen.success ? seen.data : await live.lastId(caller.userId);
      await stream(res, { caller, webhookId, after, ending: ending.signal }, options);
    } finally {
      open.delete(ending);
    }
  });

  return {
    routes,
    end() {
      for (const ending of open.keys()) ending.abort();
    },
  };
}

function admit(open: ReadonlyMap<unknown, string>, userId: string): void {
  const ofUser = [...open.values()].filter((one) => one === userId).length;
  if (ofUser < STREAMS_OF_USER_MAX && open.size < STREAMS_MAX) return;
  throw new AppError(
    'rate_limited',
    'too_many_streams',
    'Too many streams are open. Close one, or try again later.',
    { retryAfterS: 30 },
  );
}

interface Listener {
  readonly caller: Caller;
  readonly webhookId: string | undefined;
  readonly after: string;
  readonly ending: AbortSignal;
}

async function stream(
  res: Response,
  { caller, webhookId, after, ending }: Listener,
  { live, revoked, heartbeatMs = HEARTBEAT_MS }: LiveStreamOptions,
): Promise<void> {
  const { userId, sessionId, expiresAt } = caller;
  const ids = [userId, ...(sessionId === undefined ? [] : [sessionId])];
  const endMs = Math.min(expiresAt?.getTime() ?? Infinity, Date.now() + STREAM_MAX_MS);
  const news = bell(live, ending);
  // nginx passes on what it does not buffer (X-Accel-Buffering).
  res.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  const send = async (text: string) => {
    if (!res.write(text)) await once(res, 'drain', { signal: ending });
  };

  try {
    await send(`retry: ${RETRY_MS}\n: listening\n\n`);
    let last = after;
    let heartbeatAtMs = Date.now() + heartbeatMs;
    while (!ending.aborted && Date.now() < endMs) {
      const entries = await live.read(userId, { after: last, webhookId, limit: READ_MAX });
      for (const { id, type, data } of entries) {
        await send(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
        last = id;
      }
      if (Date.now() >= heartbeatAtMs) {
        if (await revoked(ids)) break;
        await live.listen(userId);
        await send(':\n\n');
        heartbeatAtMs = Date.now() + heartbeatMs;
      }
      if (entries.length < READ_MAX) await news.wait(Math.min(heartbeatAtMs, endMs) - Date.now());
    }
  } catch (error) {
    // Who hung up is no error of ours. The answer has begun, so nothing else can be said of one that is.
    if (!ending.aborted) throw error;
  } finally {
    news.stop();
    res.end();
  }
}

/** Waits for news, for the end, or for so long; two waits in a row are a rest apart. */
function bell(live: Live, ending: AbortSignal) {
  let isRung = false;
  let wakeUp: (() => void) | undefined;
  const ring = () => {
    isRung = true;
    wakeUp?.();
  };
  const stop = live.onNews(ring);
  ending.addEventListener('abort', ring);

  const rest = async (ms: number, isOver: () => boolean) => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      wakeUp = () => {
        if (!isOver()) return;
        clearTimeout(timer);
        resolve();
      };
      wakeUp();
    });
    wakeUp = undefined;
  };

  return {
    async wait(ms: number): Promise<void> {
      await rest(Math.min(ms, REST_MS), () => ending.aborted);
      await rest(ms - REST_MS, () => isRung);
      isRung = false;
    },
    stop() {
      stop();
      ending.removeEventListener('abort', ring);
    },
  };
}
