import { expect, it } from '@jest/globals';
import { followed, type Open } from './server-sent.js';

const MINUTE_MS = 60_000;

/** Answers with one text after the other; then nothing comes until the signal aborts. */
function streaming(...texts: readonly (string | Error)[]) {
  const asked: (string | undefined)[] = [];
  const left = [...texts];
  const open: Open = async ({ headers, signal }) => {
    asked.push(headers['last-event-id']);
    const text = left.shift();
    if (text instanceof Error) throw text;
    if (text !== undefined) return new Response(text);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  return { asked, open };
}

async function heard(open: Open, count: number, nowMs = Date.now, silentMs = MINUTE_MS) {
  const notes: string[] = [];
  const output = { out() {}, note: (text: string) => void notes.push(text), isTerminal: false };
  const ending = new AbortController();
  const found: unknown[] = [];
  for await (const { data } of followed(open, {
    signal: ending.signal,
    output,
    nowMs,
    silentMs,
  })) {
    found.push(data);
    if (found.length === count) ending.abort();
  }
  return { found, notes };
}

const event = (id: number) => `id: ${id}\nevent: event.received\ndata: ${id}\n\n`;
const opened = 'retry: 1\n: listening\n\nid: 40\nevent: stream.opened\ndata: {}\n\n';

it('a stream that is cut off before anything came goes on where it began', async () => {
  const { open, asked } = streaming(opened, new TypeError('fetch failed'), event(41), event(42));
  const { found, notes } = await heard(open, 2);
  expect(found).toEqual([41, 42]);
  expect(asked).toEqual([undefined, '40', '40', '41']);
  expect(notes).toEqual([
    'Listening. Ctrl-C ends it.',
    'The connection was lost. Going on when it is back …',
    'Listening again.',
  ]);
});

it('a client that comes back too late is told which time may be missing', async () => {
  let now = Date.parse('2030-01-01T00:00:00Z');
  const { open, asked } = streaming(opened + event(41), event(50));
  const asleep: Open = async (init) => {
    const answer = await open(init);
    if (asked.length > 1) now += 6 * MINUTE_MS;
    return answer;
  };
  const { found, notes } = await heard(asleep, 2, () => now);
  expect(found).toEqual([41, 50]);
  expect(notes).toContain(
    'Nothing was heard from 2030-01-01T00:00:00.000Z to 2030-01-01T00:06:00.000Z: what came then may be missing here.',
  );
});

it('a client whose last event id is not known any more is told that the stream began anew', async () => {
  const { open, asked } = streaming(
    event(900),
    opened + event(41),
    new TypeError('fetch failed'),
    event(42),
  );
  const { found, notes } = await heard(open, 3);
  expect(found).toEqual([900, 41, 42]);
  expect(asked).toEqual([undefined, '900', '41', '41']);
  expect(notes).toContain('The stream began anew: what came meanwhile may be missing here.');
});

it('a connection on which nothing comes is given up for another', async () => {
  const { open, asked } = streaming(opened, event(41));
  const dead: Open = async (init) => {
    const { body } = await open(init);
    if (asked.length > 1) return new Response(body);
    const { signal } = init;
    const rest = new TransformStream<Uint8Array, Uint8Array>();
    void body?.pipeTo(rest.writable, { preventClose: true, signal }).catch(() => undefined);
    signal.addEventListener('abort', () => void rest.writable.abort(signal.reason));
    return new Response(rest.readable);
  };
  const { found, notes } = await heard(dead, 1, Date.now, 50);
  expect(found).toEqual([41]);
  expect(asked).toEqual([undefined, '40']);
  expect(notes).toContain('The connection was lost. Going on when it is back …');
});
