import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { ConnectionTiming } from '../../application/job.js';
import { patchParser } from './undici-parser.js';

/** The first request on a connection waited for it; those after it found it there. */
export const REUSED: ConnectionTiming = { dnsMs: null, connectMs: null, tlsMs: null };

const SEND_HEADERS = 'undici:client:sendHeaders';

export interface ConnectionTimings {
  /** To be called with each connection before undici has it. */
  opened(socket: Socket, timing: ConnectionTiming): void;
  /**
   * To be called when undici starts a request; calls back once it is written to its socket. undici does
   * the second right after the first, and says the socket of a request nowhere else.
   */
  starting(written: (timing: ConnectionTiming) => void): void;
  stop(): void;
}

/** Measures how long name, connection and TLS took, for the request that had to wait for them. */
export function connectionTimings(): ConnectionTimings {
  const opened = new WeakMap<Socket, ConnectionTiming>();
  let starting: ((timing: ConnectionTiming) => void) | undefined;

  const onSend = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    const timing = opened.get(socket);
    // Others in this process use undici too: only a socket that was opened here says something.
    if (timing === undefined) return;
    opened.delete(socket);
    patchParser(socket);
    starting?.(timing);
  };
  subscribe(SEND_HEADERS, onSend);

  return {
    opened: (socket, timing) => void opened.set(socket, timing),
    starting(written) {
      starting = written;
    },
    stop: () => void unsubscribe(SEND_HEADERS, onSend),
  };
}
