import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import type { Check } from '@junction/operations';
import { connector, opener } from '@junction/service/outbound';
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
  const { origin, username, password } = new URL(proxy);
  const pool = new Pool(origin, { connect: connector({ timeoutMs }) });
  const authorization = username === '' ? {} : basic(username, password);

  return {
    async dial({ address, family }, port, signal) {
      const target = `${family === 6 ? `[${address}]` : address}:${port}`;
      try {
        const { statusCode, socket } = await pool.connect({
          path: target,
          headers: { host: target, ...authorization },
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

/** Checks that the egress proxy, if there is one, takes connections. A receiver is not called. */
export const egressProxyCheck = (proxy: string | undefined): Check => ({
  name: 'egress proxy',
  remedy:
    'Check host and port in WEBHOOK_EGRESS_PROXY, that the proxy runs, and that this machine may reach it: until then every attempt fails, and is repeated.',
  async look() {
    if (proxy === undefined)
      return 'WEBHOOK_EGRESS_PROXY is not set: receivers are called directly.';
    const { protocol, host, hostname, port } = new URL(proxy);
    const open = opener({ timeoutMs: CHECK_TIMEOUT_MS });
    const { socket } = await open({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port });
    socket.destroy();
    return `${host} takes connections.`;
  },
});

const basic = (username: string, password: string) => {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
};
