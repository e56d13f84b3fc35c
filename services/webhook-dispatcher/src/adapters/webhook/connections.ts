import type { Socket } from 'node:net';
import type { ConnectionTiming } from '../../application/job.js';
import { Connection, type Owner } from './connection.js';
import { Exchange } from './exchange.js';

/** Opens a connection to an origin. */
export type Open = (
  origin: string,
  opened: (error: unknown, socket: Socket | null, timing: ConnectionTiming) => void,
) => void;

export interface Connections {
  /**
   * Sends a request on the connection to its origin that was free last, or on a new one, and calls `ended` once.
   *
   * @param head request line and headers, with the blank line after them
   */
  post(origin: string, head: string, body: Buffer, ended: (exchange: Exchange) => void): void;
  close(): void;
}

/**
 * Deadlines are looked at so often, by connection. A timer for each request costs more than to read its answer, and so
 * does a Set of requests: the tables that it has grown out of are a chain, which V8 keeps until a full collection.
 */
const STEP_MS = 100;
const CLOSED = 'The sender is closed.';

/**
 * Connections to receivers, as many to an origin as there are requests under way: webhooks of one origin must not wait
 * for each other. A request is sent once: nobody knows whether a connection that broke had brought it across.
 */
export function connections(open: Open, deadlineMs: number): Connections {
  const all = new Set<Connection>();
  const idle = new Map<string, Connection[]>();
  /** Exchanges that wait for their connection to open. */
  const opening = new Set<Exchange>();
  let waiting: Exchange[] = [];
  let ticking: NodeJS.Timeout | undefined;
  let isClosed = false;

  const owner: Owner = {
    freed(connection) {
      const others = idle.get(connection.origin);
      if (others) others.push(connection);
      else idle.set(connection.origin, [connection]);
    },
    closed(connection) {
      all.delete(connection);
      const others = idle.get(connection.origin);
      const place = others?.indexOf(connection) ?? -1;
      if (place !== -1) others?.splice(place, 1);
    },
  };

  const connect = (exchange: Exchange) => {
    opening.add(exchange);
    open(exchange.origin, (error, socket, timing) => {
      opening.delete(exchange);
      if (socket === null) exchange.end(error);
      else if (exchange.isOver) socket.destroy();
      else {
        const connection = new Connection(exchange.origin, socket, timing, owner);
        all.add(connection);
        connection.carry(exchange);
      }
    });
  };

  /** Begins in the turn after: what has come of idle connections, their end above all, is read until then. */
  const begin = () => {
    const ready = waiting;
    waiting = [];
    const nowMs = performance.now();
    for (const exchange of ready) {
      if (exchange.isOver) continue;
      const others = idle.get(exchange.origin) ?? [];
      const place = others.findLastIndex((connection) => connection.isFree(nowMs));
      if (place === -1) connect(exchange);
      else others.splice(place, 1)[0]?.carry(exchange);
    }
  };

  const tick = () => {
    const nowMs = performance.now();
    for (const connection of all) connection.expire(nowMs, deadlineMs);
    for (const exchange of opening) exchange.expire(nowMs, deadlineMs);
    for (const [origin, others] of idle) if (others.length === 0) idle.delete(origin);
    if (all.size + opening.size + waiting.length > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };

  return {
    post(origin, head, body, ended) {
      if (isClosed) throw new Error(CLOSED);
      ticking ??= setInterval(tick, STEP_MS).unref();
      if (waiting.push(new Exchange(origin, head, body, ended)) === 1) setImmediate(begin);
    },
    close() {
      isClosed = true;
      clearInterval(ticking);
      for (const exchange of [...waiting, ...opening]) exchange.end(new Error(CLOSED));
      for (const connection of all) connection.cut(new Error(CLOSED));
    },
  };
}
