import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Above what the gateways pass on, with the headers that they add: they refuse more in words, and Node in none. */
export const HEAD_MAX_BYTES = 81_920;
const CONNECTIONS_MAX = 10_000;
const DRAIN_MS = 4_000;
/** A younger connection without a request may be about to send one: the request is on the way. */
const FRESH_MS = 1_000;
/** After a turn of the event loop this short, no connection has waited in the system's queue for longer. */
const SHORT_TURN_MS = 0.5;
/** A balancer that opened no connection for this long sends its requests elsewhere. */
const QUIET_MS = 100;
const TURN_AWAY_MAX_MS = 1_000;
const SHORT_TURN_WAIT_MS = 500;
/** Methods whose requests a proxy may repeat elsewhere after sending them (RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

const connections = new WeakMap<Server, Connections>();

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port; `portOf` tells which. */
  readonly port: number;
  /** Monotonic milliseconds, by which a close judges whether clients still come. */
  readonly clock?: () => number;
}

/** Resolves when the port is bound; rejects when it cannot be. */
export async function listenHttp(app: Express, options: ListenOptions): Promise<Server> {
  const server = createServer(
    {
      maxHeaderSize: HEAD_MAX_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // The timeout is longer than a proxy keeps an idle connection, or a proxy would send a request into a closed one.
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    (req, res) => {
      if (connections.get(server)?.turnsAway(req)) req.socket.destroy();
      else app(req, res);
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  return listenOn(server, options);
}

export async function listenOn(
  server: Server,
  { host, port, clock = () => performance.now() }: ListenOptions,
): Promise<Server> {
  connections.set(server, trackConnections(server, clock));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
}

/** Returns the port that a server listens on. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Makes each answer from now on ask its client to come back on a new connection, elsewhere if it can. */
export const drainHttp = (server: Server): void => connections.get(server)?.drain();

/**
 * Turns balancers away, stops accepting, lets requests in flight finish and closes each connection as it
 * falls idle. Whatever is still open after four seconds is cut, so that what closes after us has time left.
 */
export async function closeHttp(server: Server): Promise<void> {
  drainHttp(server);
  await turnAway(server);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  try {
    const closed = new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
    connections.get(server)?.closeIdle();
    await closed;
  } finally {
    clearTimeout(cut);
  }
}

/**
 * Waits until no connections come any more, for a second and a half at most. Connections that wait in the system's
 * queue are reset with the listening socket, and a proxy repeats no POST that it has sent, so the port closes only
 * then. While a balancer still opens connections, idempotent requests are reset: the balancer repeats them elsewhere
 * and stops choosing this replica.
 */
async function turnAway(server: Server): Promise<void> {
  const tracked = connections.get(server);
  if (!tracked) return;
  const untilMs = tracked.nowMs() + TURN_AWAY_MAX_MS;
  tracked.turnAway(true);
  for (;;) {
    const beganMs = tracked.nowMs();
    await setImmediate();
    const endedMs = tracked.nowMs();
    const restMs = endedMs < untilMs ? QUIET_MS - tracked.quietMs() : 0;
    if (restMs > 0) await sleep(restMs);
    else if (endedMs - beganMs < SHORT_TURN_MS || endedMs > untilMs + SHORT_TURN_WAIT_MS) break;
  }
  tracked.turnAway(false);
}

interface Connections {
  nowMs(): number;
  drain(): void;
  /** Sets whether requests on connections opened from now on are refused without an answer. */
  turnAway(isOn: boolean): void;
  turnsAway(req: IncomingMessage): boolean;
  /** Returns the milliseconds since the last connection was opened. */
  quietMs(): number;
  closeIdle(): void;
}

/**
 * Tracks connections, because `server.close()` waits for every connection without a request, and for each kept-alive
 * one.
 */
function trackConnections(server: Server, nowMs: () => number): Connections {
  /**
   * Idle connections with the bytes that each had sent when it fell idle: a connection that has sent more is in the
   * middle of a request.
   */
  const idle = new Map<Socket, number>();
  const openedMs = new WeakMap<Socket, number>();
  const answering = new Set<ServerResponse>();
  let draining = false;
  let closing = false;
  let lastOpenedMs = Number.NEGATIVE_INFINITY;
  let turnsAwayFromMs = Number.POSITIVE_INFINITY;

  const fallIdle = (socket: Socket) => {
    if (closing) socket.destroySoon();
    else if (!socket.destroyed) idle.set(socket, socket.bytesRead);
  };
  server.on('connection', (socket) => {
    idle.set(socket, 0);
    lastOpenedMs = nowMs();
    openedMs.set(socket, lastOpenedMs);
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
    nowMs,
    drain() {
      draining = true;
      for (const res of answering) lastOf(res);
    },
    turnAway(isOn) {
      turnsAwayFromMs = isOn ? nowMs() : Number.POSITIVE_INFINITY;
    },
    turnsAway({ method = '', socket }) {
      return (openedMs.get(socket) ?? 0) >= turnsAwayFromMs && IDEMPOTENT.has(method);
    },
    quietMs: () => nowMs() - lastOpenedMs,
    closeIdle() {
      closing = true;
      for (const [socket, bytesRead] of idle) {
        const ageMs = nowMs() - (openedMs.get(socket) ?? 0);
        if (bytesRead > 0 || ageMs >= FRESH_MS) destroyIfQuiet(socket, bytesRead);
        else setTimeout(destroyIfQuiet, FRESH_MS - ageMs, socket, bytesRead);
      }
    },
  };
}

function destroyIfQuiet(socket: Socket, bytesRead: number): void {
  if (socket.bytesRead === bytesRead) socket.destroy();
}

/** Marks an answer as the last of its connection, which Node then closes (RFC 9112 §9.6). */
function lastOf(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}
