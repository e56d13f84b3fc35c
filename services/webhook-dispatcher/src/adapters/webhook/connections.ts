import type { Opened } from '@junction/service/outbound';
import { Connection, type Owner } from './connection.js';
import type { Exchange } from './exchange.js';

/** Opens a connection to an origin. */
export type Open = (origin: string, signal: AbortSignal) => Promise<Opened>;

export interface Connections {
  /** Sends a request on the connection to its origin that was free last, or on a new one. */
  carry(exchange: Exchange): void;
  /** Ends all exchanges, and closes all connections. */
  close(): void;
}

/** Milliseconds between looks at all deadlines: a timer for each request would cost more than reading its answer. */
const STEP_MS = 200;
const CLOSED = 'The sender is closed.';

/**
 * Connections to receivers, as many to an origin as there are requests under way: webhooks of one origin must not wait
 * for each other. A request is sent once: nobody knows whether a connection that broke had brought it across.
 */
export function connections(open: Open, deadlineMs: () => number): Connections {
  /** A list, and no Set: with receivers that close their connections it changes with every delivery. */
  const all: Connection[] = [];
  const idle = new Map<string, Connection[]>();
  let isClosed = false;

  const owner: Owner = {
    freed(connection) {
      const others = idle.get(connection.origin);
      if (others) others.push(connection);
      else idle.set(connection.origin, [connection]);
    },
    closed(connection) {
      const last = all.pop();
      if (last && last !== connection) {
        last.place = connection.place;
        all[last.place] = last;
      }
      const others = idle.get(connection.origin) ?? [];
      const place = others.indexOf(connection);
      if (place !== -1) others.splice(place, 1);
    },
  };

  const step = () => {
    const nowMs = performance.now();
    for (const connection of all.slice()) connection.expire(nowMs, deadlineMs());
    for (const [origin, others] of idle) if (others.length === 0) idle.delete(origin);
  };
  const steps = setInterval(step, STEP_MS).unref();

  return {
    carry(exchange) {
      if (isClosed) throw new Error(CLOSED);
      const { origin, startedMs } = exchange;
      const others = idle.get(origin);
      if (others?.at(-1)?.isFree(startedMs)) {
        others.pop()?.carry(exchange);
        return;
      }
      const connection = new Connection(exchange, owner);
      connection.place = all.push(connection) - 1;
      void connection.open((signal) => open(origin, signal));
    },
    close() {
      isClosed = true;
      clearInterval(steps);
      for (const connection of all.slice()) connection.cut(new Error(CLOSED));
    },
  };
}
