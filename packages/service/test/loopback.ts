import { createServer, type RequestListener, type Server } from 'node:http';
import { eventually } from '@junction/testing';
import { portOf } from '../src/process/listen.js';
import { logger } from '../src/process/logging/logger.js';

const opened: { close: () => Promise<unknown> }[] = [];

/** Registers what `closeOpened` closes, which every file calls after each of its tests. */
export function closeLater(close: () => Promise<unknown>): void {
  opened.push({ close });
}

export async function closeOpened(): Promise<void> {
  for (let last = opened.pop(); last; last = opened.pop()) await last.close();
}

/** Starts a plain HTTP server on loopback, and returns its URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closeLater(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${portOf(server)}`;
}

/** Creates a logger whose lines can be read back. */
export function readableLog(level = 'debug') {
  const lines: string[] = [];
  const log = logger('test', level, { destination: { write: (line) => void lines.push(line) } });
  return { log, text: () => lines.join('') };
}

/** Waits for what happens soon, by looking and not by guessing how soon. */
export const until = (condition: () => boolean): Promise<void> =>
  eventually(
    () => {
      if (!condition()) throw new Error('It did not happen in time.');
    },
    { pollMs: 5 },
  );
