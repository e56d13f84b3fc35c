import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CONNECTIONS_MAX = 10_000;
const DRAIN_MS = 4_000;

const connections = new WeakMap<Server, Connections>();

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port; `portOf` tells which. */
  readonly port: number;
}

/** Resolves when the port is bound; rejects when it cannot be. */
export async function listenHttp(app: Express, options: ListenOptions): Promise<Server> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Longer than a proxy keeps an idle connection, or it sends a request into one we just closed.
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    app,
  );
  server.maxConnections = CONNECTIONS_MAX;
  return listenOn(server, options);
}

export async function listenOn(server: Server, { host, port }: ListenOptions): Promise<Server> {
  connections.set(server, trackConnections(server));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
}

/** The port a server listens on. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** From now on each answer asks its client to come back on a new connection, elsewhere if it can. */
export const drainHttp = (server: Server): void => connections.get(server)?.drain();

/**
 * Stops accepting, lets requests in flight finish and closes each connection as it falls idle. Whatever
 * is still open after four seconds is cut, so that what closes after us has time left.
 */
export async function closeHttp(server: Server): Promise<void> {
  drainHttp(server);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  try {
    const closed = new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
    // After the events of this turn: what has reached us by now is a request, and no longer idle.
    setImmediate(() => connections.get(server)?.closeIdle());
    await closed;
  } finally {
    clearTimeout(cut);
  }
}

interface Connections {
  drain(): void;
  closeIdle(): void;
}

/** `server.close()` waits for every connection that never asked anything, and for each kept-alive one. */
function trackConnections(server: Server): Connections {
  /** With what each had sent when it fell idle: one that has sent more is in the middle of a request. */
  const idle = new Map<Socket, number>();
  const answering = new Set<ServerResponse>();
  let draining = false;
  let closing = false;

  const fallIdle = (socket: Socket) => {
    if (closing) socket.destroySoon();
    else if (!socket.destroyed) idle.set(socket, socket.bytesRead);
  };
  server.on('connection', (socket) => {
    idle.set(socket, 0);
    socket.once('close', () => idle.delete(socket));
  });
  // Before the app, which may answer at once.
  server.prependListener('request', ({ socket }, res) => {
    idle.delete(socket);
    answering.add(res);
    if (draining) lastOf(res);
    res.once('close', () => {
      answering.delete(res);
      fallIdle(socket);
    });
  });

  return {
    drain() {
      draining = true;
      for (const res of answering) lastOf(res);
    },
    closeIdle() {
      closing = true;
      for (const [socket, bytesRead] of idle) if (socket.bytesRead === bytesRead) socket.destroy();
    },
  };
}

/** Node closes the connection behind an answer that says so (RFC 9112 §9.6). */
function lastOf(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}
