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
    await eachEvent(response.body, ({ id, type, data }) => {
      if (id !== undefined) lastEventId = id;
      target.dispatchEvent(new MessageEvent(type, { data }));
    });
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

interface ServerSentEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

async function eachEvent(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (event: ServerSentEvent) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = `${rest}${value}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) take(event);
    }
  }
}

/**
 * Reads an event as the service writes it: a line for each field (HTML, section 9.2.6). Returns undefined for a
 * comment.
 */
export function eventIn(block: string): ServerSentEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    const before = fields.get(name);
    fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value);
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { id: fields.get('id'), type: fields.get('event') ?? 'message', data };
}
