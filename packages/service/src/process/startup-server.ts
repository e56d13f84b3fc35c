import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { AppError } from '@junction/errors';
import { build } from '@junction/telemetry';
import { toProblem } from '../errors/problem.js';
import type { Health } from './health.js';
import { closeHttp, HEAD_MAX_BYTES, type ListenOptions, listenOn } from './listen.js';

/** Server that answers on the HTTP port while the service itself cannot yet. */
export interface StartupServer {
  /** Opens the port, unless it is open. Rejects when the port cannot be bound. */
  open(): Promise<void>;
  /** Frees the port. The server does not open again. */
  close(): Promise<void>;
}

/**
 * Creates a startup server. Probes learn that the process lives and what it waits for; other requests are answered with
 * 503. Open it only for a wait that may be long: every proxy passes over a port that refuses, but takes an answer of
 * 503 for the answer.
 */
export function startupServer(options: ListenOptions, health: Health): StartupServer {
  const server = createServer({ maxHeaderSize: HEAD_MAX_BYTES }, answer(health));
  let opening: Promise<unknown> | undefined;
  let closed = false;

  return {
    async open() {
      if (!closed) await (opening ??= listenOn(server, options));
    },
    async close() {
      closed = true;
      if (opening === undefined) return;
      await opening.catch(() => undefined);
      if (server.listening) await closeHttp(server);
    },
  };
}

const answer =
  (health: Health): RequestListener =>
  async (req, res) => {
    const [path = '/'] = (req.url ?? '/').split('?', 1);
    if (path === '/internal/health/live') return send(res, 200, { status: 'live', ...build() });
    if (path === '/internal/health/ready') {
      const { failing } = await health.ready();
      return send(res, 503, { status: 'not_ready', failing, ...build() });
    }
    const requestId = randomUUID();
    const problem = toProblem(stillStarting(), path, requestId);
    res.setHeader('retry-after', '1').setHeader('x-request-id', requestId);
    send(res, problem.status, problem, 'application/problem+json');
  };

function send(res: ServerResponse, status: number, body: object, type = 'application/json'): void {
  res.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    // The service itself answers here in a moment, on connections of its own.
    connection: 'close',
  });
  res.end(JSON.stringify(body));
}

const stillStarting = (): AppError =>
  new AppError('starting', 'The service is starting. Try again in a moment.');
