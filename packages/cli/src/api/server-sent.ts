import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Failure } from '../failure.js';
import type { Output } from '../output.js';
import type { Api } from './api.js';
import { Refusal } from './refusal.js';

export interface ServerSent {
  readonly type: string;
  readonly data: unknown;
}

export interface Following {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly output: Output;
  readonly nowMs?: () => number;
  /** A connection on which nothing comes for so long is given up; the product says something every 15 s. */
  readonly silentMs?: number;
}

const SILENT_MS = 45_000;
/**
 * Type of the stream's first event, which carries an id alone: the position to continue from when the stream is cut
 * off early.
 */
const OPENED = 'stream.opened';
/** Time for which the product keeps events for a client that was cut off. */
const KEPT_MS = 300_000;
const AGAIN_MIN_MS = 250;
const AGAIN_MAX_MS = 5_000;
/** Time after which the command gives up, longer than any restart. */
const GIVE_UP_AFTER_MS = 60_000;

/**
 * Yields server-sent events until the signal aborts. A stream that is cut off continues after its last event
 * (Last-Event-ID). When it returns too late for that, as after a sleep of this machine, a note says so.
 * @throws Failure when the first connection fails, when the product refuses, or when the connection is away for a
 * minute
 */
export async function* followed(api: Api, following: Following): AsyncGenerator<ServerSent> {
  const { signal, output, nowMs = Date.now } = following;
  const seen: Seen = { lastId: undefined, atMs: undefined };
  let lostAtMs: number | undefined;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const event of connected(api, following, seen, () => {
        if (seen.atMs === undefined) output.note('Listening. Ctrl-C ends it.');
        else if (lostAtMs !== undefined) output.note('Listening again.');
        failures = 0;
        lostAtMs = undefined;
      })) {
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      // Without a first answer nothing is lost yet: say at once what is wrong.
      const isRefused = error instanceof Refusal && error.status < 500;
      if (seen.atMs === undefined || isRefused) throw error;
      if (lostAtMs === undefined) {
        lostAtMs = nowMs();
        output.note('The connection was lost. Going on when it is back …');
      }
      if (nowMs() - lostAtMs > GIVE_UP_AFTER_MS) {
        throw error instanceof Failure
          ? error
          : new Failure('The stream broke off.', 1, { cause: error });
      }
    }
    const againMs = Math.min(AGAIN_MIN_MS * 2 ** Math.min(failures, 10), AGAIN_MAX_MS);
    await sleep(againMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Position up to which a stream was read. */
interface Seen {
  lastId: string | undefined;
  /** Time of the last sign of life; undefined before the stream was open. */
  atMs: number | undefined;
}

/** Yields the events of one connection until it ends. */
async function* connected(
  api: Api,
  { path, signal, output, nowMs = Date.now, silentMs = SILENT_MS }: Following,
  seen: Seen,
  onOpen: () => void,
): AsyncGenerator<ServerSent> {
  const silence = new AbortController();
  // A connection that died while the network or this machine was away reports no error: only its silence shows it.
  const timer = setTimeout(() => silence.abort(new Failure('Nothing was heard.')), silentMs);
  const hear = () => {
    seen.atMs = nowMs();
    timer.refresh();
  };
  try {
    const response = await api.stream(path, seen.lastId, AbortSignal.any([signal, silence.signal]));
    onOpen();
    const { atMs = nowMs() } = seen;
    if (nowMs() - atMs > KEPT_MS) output.note(gapNote(atMs, nowMs()));
    hear();
    const isResumed = seen.lastId !== undefined;
    for await (const { id, event, data } of eventsOf(response, hear)) {
      hear();
      if (event === OPENED && isResumed) output.note(ANEW);
      seen.lastId = id ?? seen.lastId;
      if (event !== OPENED) yield { type: event ?? 'message', data: JSON.parse(data) };
    }
  } finally {
    clearTimeout(timer);
  }
}

/** After a restore the product knows no number from before it. */
const ANEW = 'The stream began anew: what came meanwhile may be missing here.';

const gapNote = (fromMs: number, toMs: number): string =>
  `Nothing was heard from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}: what came then may be missing here.`;

async function* eventsOf({ body }: Response, onComment: () => void) {
  if (body === null) return;
  const parser = new EventSourceParserStream({ onComment });
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(parser);
}
