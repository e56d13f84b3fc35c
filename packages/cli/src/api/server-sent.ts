import { setTimeout as sleep } from 'node:timers/promises';
import { JunctionProblem, JunctionUnreachableError } from '@junction/client';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { Failure } from '../failure.js';
import type { Output } from '../output.js';
import { isTransient } from './transient.js';

export interface ServerSent {
  readonly type: string;
  readonly data: unknown;
}

/** Opens a stream by one request with these headers. */
export type Open = (init: {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}) => Promise<Response>;

export interface Following {
  readonly signal: AbortSignal;
  readonly output: Output;
  /** Id of the event after which it begins; absent: the events from now on. */
  readonly after?: string | undefined;
  /** Word for the notes. Default: Listening. */
  readonly doing?: string;
  /** Time for which the product keeps events for a client that was cut off. Default: five minutes. */
  readonly keptMs?: number;
  readonly nowMs?: () => number;
  /** A connection on which nothing comes for so long is given up; the product says something every 15 s. */
  readonly silentMs?: number;
}

const SILENT_MS = 45_000;
/**
 * Type of the stream's first event, which carries an id alone: the position to continue from when the stream is cut
 * off early. A user's stream that continues has none, unless it began anew.
 */
const OPENED = 'stream.opened';
/** The same of a stream for operators, which has it at each beginning. */
const OPENED_FOR_OPERATORS = 'opened';
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
export async function* followed(open: Open, following: Following): AsyncGenerator<ServerSent> {
  const { signal, output, after, doing = 'Listening', nowMs = Date.now } = following;
  const seen: Seen = { lastId: after, atMs: undefined };
  let lostAtMs: number | undefined;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const event of connected(open, following, seen, () => {
        if (seen.atMs === undefined) output.note(`${doing}. Ctrl-C ends it.`);
        else if (lostAtMs !== undefined) output.note(`${doing} again.`);
        failures = 0;
        lostAtMs = undefined;
      })) {
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      // Without a first answer nothing is lost yet: say at once what is wrong.
      if (seen.atMs === undefined || !isTransient(error)) throw error;
      if (lostAtMs === undefined) {
        lostAtMs = nowMs();
        output.note('The connection was lost. Going on when it is back …');
      }
      if (nowMs() - lostAtMs > GIVE_UP_AFTER_MS) {
        throw isExplained(error)
          ? error
          : new Failure('The stream broke off.', 1, { cause: error });
      }
    }
    const againMs = Math.min(AGAIN_MIN_MS * 2 ** Math.min(failures, 10), AGAIN_MAX_MS);
    await sleep(againMs, undefined, { signal }).catch(() => undefined);
  }
}

const isExplained = (error: unknown): boolean =>
  error instanceof JunctionProblem || error instanceof JunctionUnreachableError;

/** Position up to which a stream was read. */
interface Seen {
  lastId: string | undefined;
  /** Time of the last sign of life; undefined before the stream was open. */
  atMs: number | undefined;
}

/** Yields the events of one connection until it ends. */
async function* connected(
  open: Open,
  { signal, output, keptMs = KEPT_MS, nowMs = Date.now, silentMs = SILENT_MS }: Following,
  seen: Seen,
  onOpen: () => void,
): AsyncGenerator<ServerSent> {
  const silence = new AbortController();
  // A connection that died while the network or this machine was away reports no error: only its silence shows it.
  const silent = new DOMException('Nothing was heard.', 'TimeoutError');
  const timer = setTimeout(() => silence.abort(silent), silentMs);
  const hear = () => {
    seen.atMs = nowMs();
    timer.refresh();
  };
  try {
    const ended = AbortSignal.any([signal, silence.signal]);
    const response = await open({
      headers: seen.lastId === undefined ? {} : { 'last-event-id': seen.lastId },
      signal: ended,
    });
    onOpen();
    const { atMs = nowMs() } = seen;
    if (nowMs() - atMs > keptMs) output.note(gapNote(atMs, nowMs()));
    hear();
    const isResumed = seen.lastId !== undefined;
    for await (const { id, type, data } of messagesOf(response, ended, hear)) {
      hear();
      if (type === OPENED && isResumed) output.note(ANEW);
      seen.lastId = id ?? seen.lastId;
      if (type !== OPENED && type !== OPENED_FOR_OPERATORS) yield { type, data };
    }
  } finally {
    clearTimeout(timer);
  }
}

/** After a restore the product knows no number from before it. */
const ANEW = 'The stream began anew: what came meanwhile may be missing here.';

const gapNote = (fromMs: number, toMs: number): string =>
  `Nothing was heard from ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}: what came then may be missing here.`;

/** Message with which a stream ends that failed in its midst. */
const problem = z.looseObject({ status: z.int(), code: z.string(), detail: z.string() });

interface Message extends ServerSent {
  readonly id: string | undefined;
}

/** Yields the messages of an answer until it ends. @throws JunctionProblem when it fails in its midst */
async function* messagesOf(
  { body }: Response,
  signal: AbortSignal,
  onComment: () => void = () => undefined,
): AsyncGenerator<Message> {
  if (body === null) return;
  const parser = new EventSourceParserStream({ onComment });
  const messages = body.pipeThrough(new TextDecoderStream(), { signal }).pipeThrough(parser);
  for await (const { id, event: type = 'message', data: text } of messages) {
    const data: unknown = JSON.parse(text);
    if (type !== 'problem') yield { id, type, data };
    else {
      const { status, ...told } = problem.parse(data);
      throw new JunctionProblem(new Response(null, { status }), told);
    }
  }
}

/** Yields the data of each message of one connection, until it ends or the signal aborts. */
export async function* dataOf<Data>(
  open: Open,
  schema: z.ZodType<Data>,
  signal: AbortSignal,
): AsyncGenerator<Data> {
  try {
    const response = await open({ headers: { accept: 'text/event-stream' }, signal });
    for await (const { data } of messagesOf(response, signal)) yield schema.parse(data);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
