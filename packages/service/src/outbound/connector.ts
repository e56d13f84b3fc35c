import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector, errors } from 'undici';
import { connectFirst } from './connect-first.js';

/** Milliseconds that each step of opening a connection took; null: there was no such step. */
export interface OpeningTimes {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
}

/** Returns all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface ConnectorOptions {
  /** Returns all addresses of a host. Each of them may be dialled. Absent: the system is asked. */
  readonly resolve?: Resolve | undefined;
  /** Milliseconds for the name, the connection over all addresses and TLS together. */
  readonly timeoutMs: number;
  /** Options of TLS. */
  readonly tls?: buildConnector.BuildOptions;
  /** Connects to one address. Absent: directly. Rejects when the signal aborts, and leaves nothing open then. */
  readonly dial?:
    | ((address: LookupAddress, port: number, signal: AbortSignal) => Promise<Socket>)
    | undefined;
}

export interface Opened {
  readonly socket: Socket;
  readonly times: OpeningTimes;
}

/** Opens connections; when the signal aborts, nothing is left open. */
export type Opener = (target: buildConnector.Options, signal?: AbortSignal) => Promise<Opened>;

/** Opens the connections of an undici Agent, as `opener` does. */
export function connector(options: ConnectorOptions): buildConnector.connector {
  const open = opener(options);
  const opening = callbackify((target: buildConnector.Options) => open(target));
  return (target, callback) =>
    opening(target, (error, opened) => {
      if (error) callback(error, null);
      else callback(null, opened.socket);
    });
}

/**
 * Opens connections to all addresses of a host by RFC 8305. What `resolve` gave is what is dialled; the name stays in
 * SNI and in the check of the certificate. Fails with ConnectTimeoutError at the deadline.
 */
export function opener(options: ConnectorOptions): Opener {
  const { resolve = systemLookup, timeoutMs, tls = {}, dial = dialDirectly } = options;
  // A deadline of undici's would begin anew with TLS.
  const secure = buildConnector({ ...tls, timeout: 0 });

  return async (target, signal) => {
    const { hostname, protocol } = target;
    const port = Number(target.port) || (protocol === 'https:' ? 443 : 80);
    const deadline = deadlineIn(timeoutMs, `${hostname}:${port} was not reached`, signal);
    const lap = stopwatch();
    try {
      const addresses = await deadline.before(resolve(hostname));
      const dnsMs = isIP(hostname) === 0 ? lap() : null;
      const dialled = (address: LookupAddress, signal: AbortSignal) => dial(address, port, signal);
      const socket = await connectFirst(addresses, dialled, deadline.signal);
      const connectMs = lap();
      const isSecure = protocol === 'https:';
      const ready = isSecure
        ? await deadline.before(secured(secure, target, socket), socket)
        : socket;
      const times = { dnsMs, connectMs, tlsMs: isSecure ? lap() : null };
      return { socket: ready, times };
    } finally {
      deadline.clear();
    }
  };
}

export const systemLookup: Resolve = (hostname) => lookup(hostname, { all: true });

const dialDirectly = ({ address }: LookupAddress, port: number, signal: AbortSignal) =>
  connected(connect({ host: address, port, noDelay: true }), signal);

/** Resolves with the socket once it is connected. Rejects with its error; when the signal aborts, it is destroyed. */
export const connected = (socket: Socket, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
    // The listener stays: an error that comes before anybody else listens would end the process.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });

const secured = (
  secure: buildConnector.connector,
  target: buildConnector.Options,
  httpSocket: Socket,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // RFC 6066, section 3: the name in SNI has no dot at its end.
    const servername = target.hostname.replace(/\.$/, '');
    const named = isIP(servername) === 0 ? { ...target, servername } : target;
    secure({ ...named, httpSocket }, (error, socket) => {
      if (error) reject(error);
      else resolve(socket);
    });
  });

function deadlineIn(timeoutMs: number, what: string, givenUp?: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  const expire = () =>
    controller.abort(new errors.ConnectTimeoutError(`${what} within ${timeoutMs} ms.`));
  const giveUp = () => controller.abort(givenUp?.reason);
  givenUp?.addEventListener('abort', giveUp, { once: true });
  let late: NodeJS.Immediate | undefined;
  // After a pause of the process the answers that have come meanwhile count before the deadline does.
  const timer = setTimeout(() => (late = setImmediate(expire)), timeoutMs);
  return {
    signal,
    /** The result of a step that the deadline may end; `socket` is closed then. */
    before: <T>(step: Promise<T>, socket?: Socket): Promise<T> =>
      new Promise((resolve, reject) => {
        const end = () => {
          reject(signal.reason as Error);
          socket?.destroy();
        };
        signal.addEventListener('abort', end, { once: true });
        step.then(resolve, reject);
      }),
    clear() {
      clearTimeout(timer);
      clearImmediate(late);
      givenUp?.removeEventListener('abort', giveUp);
    },
  };
}

function stopwatch(): () => number {
  let lastMs = performance.now();
  return () => {
    const nowMs = performance.now();
    const passedMs = nowMs - lastMs;
    lastMs = nowMs;
    return passedMs;
  };
}
