import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { type Check, problem } from '@junction/operations';
import { connector } from '@junction/service/outbound';
import { Pool } from 'undici';

const CHECK_TIMEOUT_MS = 5_000;

/** The egress proxy did not open a connection to the receiver: it is away, or says no. That may pass. */
export class ProxyFailedError extends Error {
  constructor(options: ErrorOptions) {
    super('The egress proxy opened no connection to the receiver.', options);
    this.name = new.target.name;
  }
}

export interface EgressProxy {
  /** Connects to one address, which the guard has checked. */
  dial(address: LookupAddress, port: number, signal: AbortSignal): Promise<Socket>;
  close(): Promise<void>;
}

/**
 * Connections through a proxy by CONNECT (RFC 9110, section 9.3.6). The proxy is told an address that
 * the guard has checked and never a name, which it would resolve again, perhaps to somewhere else.
 *
 * @param proxy http:// or https://, with a user name and password if the proxy asks for them
 * @param timeoutMs for the connection to the proxy
 */
export function egressProxy(proxy: string, timeoutMs: number): EgressProxy {
  const { pool, headers } = poolOf(proxy, timeoutMs);

  return {
    async dial({ address, family }, port, signal) {
      const target = `${family === 6 ? `[${address}]` : address}:${port}`;
      try {
        const { statusCode, socket } = await pool.connect({
          path: target,
          headers: { host: target, ...headers },
          signal,
        });
        if (statusCode === 200) return socket as Socket;
        socket.destroy();
        throw new Error(`The proxy answered ${statusCode}.`);
      } catch (cause) {
        throw new ProxyFailedError({ cause });
      }
    },
    close: async () => pool.destroy(),
  };
}

/** Statuses of a proxy's answer to CONNECT: it opened a connection, forbids it, or could not (RFC 9110, section 15). */
const ANSWERS_OF_PROXIES = new Set([200, 403, 500, 502, 503, 504]);
/** Address that every proxy answers about at once: nobody listens there on the proxy's own machine. */
const NOBODY = '127.0.0.1:9';

/** Checks by a CONNECT that the egress proxy, if there is one, is a proxy and takes our password. Calls no receiver. */
export const egressProxyCheck = (proxy: string | undefined): Check => ({
  name: 'egress proxy',
  remedy:
    'Check host and port in WEBHOOK_EGRESS_PROXY, that a proxy for CONNECT runs there, and that this machine may reach it: until then every attempt fails, and is repeated.',
  async look() {
    if (proxy === undefined)
      return 'WEBHOOK_EGRESS_PROXY is not set: receivers are called directly.';
    const { host } = new URL(proxy);
    const { pool, headers } = poolOf(proxy, CHECK_TIMEOUT_MS);
    try {
      const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
      const tunnel = pool.connect({ path: NOBODY, headers, signal });
      const { statusCode, socket } = await tunnel.catch((cause: unknown) => {
        throw new Error(`${host} opened no tunnel when CONNECT asked for one.`, { cause });
      });
      socket.destroy();
      if (ANSWERS_OF_PROXIES.has(statusCode)) return `${host} answers CONNECT.`;
      if (statusCode !== 407) {
        throw new Error(`${host} answers CONNECT with ${statusCode}: it is no proxy for it.`);
      }
      const remedy = 'Name its user and password: WEBHOOK_EGRESS_PROXY=http://user:password@host.';
      return [problem(`${host} asks for another user or password (407).`, remedy)];
    } finally {
      await pool.destroy();
    }
  },
});

/** Returns the connections to a proxy, and what proves to it who we are. */
function poolOf(proxy: string, timeoutMs: number) {
  const { origin, username, password } = new URL(proxy);
  return {
    pool: new Pool(origin, { connect: connector({ timeoutMs }) }),
    headers: username === '' ? {} : basic(username, password),
  };
}

const basic = (username: string, password: string) => {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
};
