import { once } from 'node:events';
import { AppError } from '@junction/errors';
import type { Response } from 'express';
import { toProblem } from '../errors/problem.js';
import { pathOf, requestIdOf } from './caller.js';

/** Message of a stream. */
export interface ServerSentEvent {
  /** Id that a reader who was cut off comes back with. */
  readonly id?: string;
  readonly type: string;
  readonly data: object;
}

/** Resolves when the next message may be sent: at once, or when a slow reader has caught up. */
export type SendEvent = (event: ServerSentEvent) => Promise<void>;

export const HEARTBEAT_MS = 15_000;
export const HEARTBEAT = ':\n\n';
/** Longer than the token of a service lasts. */
const STREAM_MAX_MS = 15 * 60_000;

/**
 * Begins an answer of server-sent events, and ends it where nothing but its head is asked for. nginx passes on what it
 * does not buffer (X-Accel-Buffering).
 */
export function beginEvents(res: Response): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  if (res.req.method === 'HEAD') res.end();
}

/**
 * Calls back when the connection of an answer closes: at once when it has closed already, as while its caller was
 * checked.
 */
export function onceClosed(res: Response, onClose: () => void): void {
  if (res.destroyed) onClose();
  else res.once('close', onClose);
}

export const textOf = ({ id, type, data }: ServerSentEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Answers with the messages of one piece of work (WHATWG HTML, section 9.2), until the work ends, its reader hangs up
 * or a quarter of an hour is over; `signal` aborts then. The answer begins with the first message or after 15 seconds:
 * a failure before that is answered as a problem, and a later one is a last message of type `problem`.
 */
export async function answerWithEvents(
  res: Response,
  work: (send: SendEvent, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (res.req.method === 'HEAD') return beginEvents(res);
  const hungUp = new AbortController();
  onceClosed(res, () => hungUp.abort());
  const late = AbortSignal.timeout(STREAM_MAX_MS);
  const signal = AbortSignal.any([hungUp.signal, late]);
  const write = async (text: string) => {
    signal.throwIfAborted();
    if (!res.headersSent) beginEvents(res);
    if (!res.write(text)) await once(res, 'drain', { signal });
  };
  const beats = setInterval(() => {
    if (!res.writableNeedDrain) void write(HEARTBEAT).catch(() => undefined);
  }, HEARTBEAT_MS);
  try {
    await work((event) => write(textOf(event)), signal);
    res.end();
  } catch (cause) {
    if (hungUp.signal.aborted) return;
    const error = late.aborted ? tooLong(cause) : cause;
    if (!res.headersSent) throw error;
    res.end(textOf({ type: 'problem', data: toProblem(error, pathOf(res.req), requestIdOf(res)) }));
    // The handler of problems logs it.
    throw error;
  } finally {
    clearInterval(beats);
  }
}

const tooLong = (cause: unknown): AppError =>
  new AppError('deadline_exceeded', 'A stream ends after a quarter of an hour. Ask again.', {
    cause,
  });
