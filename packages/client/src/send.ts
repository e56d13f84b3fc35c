import { setTimeout as sleep } from 'node:timers/promises';
import { JunctionUnreachableError, retryAfter } from './problem.js';

/** Sends a request and leaves it unread, so that it may be sent again. */
export type Send = (request: Request) => Promise<Response>;

const SAFE_TO_REPEAT = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];
/** Statuses of temporary failures. A gateway in front of the API answers with the last three. */
const PASSING = [429, 503, 502, 504];
const WITHOUT_BODY = [204, 205, 304];
const BACKOFF_MS = 250;
const BACKOFF_MS_MAX = 8_000;
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * Sends a request once, and reads the answer whole, so that the time limit covers all of it. For an event stream the
 * limit covers the head alone.
 * @throws JunctionUnreachableError, or the reason with which the request's signal was aborted
 */
export const sendWithin =
  (timeoutMs: number): Send =>
  async (request) => {
    const limit = new AbortController();
    const words = `There was no answer within ${timeoutMs} ms.`;
    const late = () => limit.abort(new DOMException(words, 'TimeoutError'));
    const timer = setTimeout(late, timeoutMs);
    try {
      const signal = AbortSignal.any([request.signal, limit.signal]);
      const response = await fetch(request.clone(), { signal, redirect: 'manual' });
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
      const body = await response.arrayBuffer();
      return new Response(WITHOUT_BODY.includes(response.status) ? null : body, response);
    } catch (cause) {
      request.signal.throwIfAborted();
      const { origin } = new URL(request.url);
      throw new JunctionUnreachableError(`${origin} did not answer.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  };

/**
 * Idempotent by its method (RFC 9110, section 9.2.2), or by a key: the second of two that arrive changes
 * nothing.
 */
export const isRepeatable = ({ method, headers }: Request): boolean =>
  SAFE_TO_REPEAT.includes(method) || headers.has('idempotency-key');

/**
 * Sends again what may be repeated and met something that passes, after as long as the answer asks for: at
 * most `retriesMax` times. When that is more than a minute, the answer is given back.
 */
export const withRetries =
  (send: Send, retriesMax: number, mayRepeat = isRepeatable): Send =>
  async (request) => {
    const left = mayRepeat(request) ? retriesMax : 0;
    for (let failures = 1; failures <= left; failures++) {
      const answer = await send(request).catch((error: unknown) => {
        if (error instanceof JunctionUnreachableError) return undefined;
        throw error;
      });
      const waitMs = answer === undefined ? 0 : waitMsAfter(answer);
      if (answer !== undefined && waitMs === undefined) return answer;
      await pause(Math.max(waitMs ?? 0, backoffMs(failures)), request.signal);
    }
    return send(request);
  };

/** Returns the milliseconds to wait before the request is repeated; undefined when it is not to be repeated. */
function waitMsAfter({ status, headers }: Response): number | undefined {
  const asked = retryAfter(headers);
  // 409: the first of two with the same Idempotency-Key is still being executed.
  const passes = PASSING.includes(status) || (status === 409 && asked !== undefined);
  return passes && (asked ?? 0) <= RETRY_AFTER_MS_MAX ? (asked ?? 0) : undefined;
}

/** Doubles, and half of it is left to chance, so that many who failed together do not come back together. */
function backoffMs(failures: number): number {
  const full = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** (failures - 1));
  return (full / 2) * (1 + Math.random());
}

const pause = async (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
