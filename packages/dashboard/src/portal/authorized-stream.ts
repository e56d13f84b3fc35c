import { EventSourceParserStream } from 'eventsource-parser/stream';
import { authorized } from '../api/client.js';
import type { EventStream } from '../api/event-stream.js';

const REOPEN_MS = 2_000;

/**
 * Opens a stream of server-sent events as `EventSource` does, with the Authorization header that `EventSource` cannot
 * send. A stream that breaks off is opened again, from the last event on, until it is closed.
 */
export function authorizedStream(path: string): EventStream {
  const target = new EventTarget();
  const ending = new AbortController();
  let lastEventId: string | undefined;

  const read = async () => {
    const response = await authorized(path, {
      signal: ending.signal,
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    });
    if (!response.ok || !response.body) return response.status < 500;
    target.dispatchEvent(new Event('open'));
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (let next = await events.read(); !next.done; next = await events.read()) {
      const { id, event = 'message', data } = next.value;
      lastEventId = id ?? lastEventId;
      target.dispatchEvent(new MessageEvent(event, { data }));
    }
    return false;
  };

  const follow = async () => {
    while (!ending.signal.aborted) {
      const isRefused = await read().catch(() => false);
      if (isRefused) {
        close();
        target.dispatchEvent(new Event('error'));
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
    }
  };

  const close = () => ending.abort();
  void follow();
  return {
    get readyState() {
      return ending.signal.aborted ? EventSource.CLOSED : EventSource.OPEN;
    },
    addEventListener: (type, listener) =>
      target.addEventListener(type, (event) => listener(event as MessageEvent<string>)),
    close,
  };
}
