import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import type { Health } from '../health.js';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CONNECTIONS_MAX = 10_000;
const DRAIN_MS = 4_000;

const connections = new WeakMap<Server, { drain(): void }>();

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port; `portOf` tells which. */
  readonly port: number;
}

/** Resolves when the port is bound; rejects when it cannot be. */
export async function listenHttp(app: Express, { host, port }: ListenOptions): Promise<Server> {
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

/**
 * Stops accepting, lets requests in flight finish and closes each connection as it falls idle. Whatever
 * is still open after four seconds is cut, so that what closes after us has time left.
 */
export async function closeHttp(server: Server, health?: Health): Promise<void> {
  health?.drain();
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  try {
    const closed = new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
    connections.get(server)?.drain();
    await closed;
  } finally {
    clearTimeout(cut);
  }
}

/** `server.close()` waits for every connection that never asked anything, and for each kept-alive one. */
function trackConnections(server: Server): { drain(): void } {
  const idle = new Set<Socket>();
  let draining = false;

  server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  server.on('request', ({ socket }, res) => {
    idle.delete(socket);
    if (draining) res.setHeader('connection', 'close');
    res.once('close', () => {
      if (draining) socket.destroySoon();
      else if (!socket.destroyed) idle.add(socket);
    });
  });

  return {
    drain() {
      draining = true;
      for (const socket of idle) socket.destroy();
    },
  };
}
