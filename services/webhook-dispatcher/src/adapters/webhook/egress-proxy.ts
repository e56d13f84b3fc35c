import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector, Pool } from 'undici';

/** The egress proxy did not open a connection to the receiver: it is away, or says no. That may pass. */
export class ProxyFailedError extends Error {
  constructor(options: ErrorOptions) {
    super('The egress proxy opened no connection to the receiver.', options);
    this.name = new.target.name;
  }
}

export interface EgressProxyOptions {
  /** http:// or https://, with a user name and password if the proxy asks for them. */
  readonly proxy: string;
  /** The guard, as for connections that are dialled directly. */
  readonly lookup: LookupFunction;
  /** How TLS with the receiver is begun, inside the tunnel. */
  readonly tls: buildConnector.BuildOptions;
  /** For the tunnel, and then again for TLS in it. */
  readonly timeoutMs: number;
}

/** Opens connections for an undici Agent. */
export interface EgressProxy {
  readonly connect: buildConnector.connector;
  close(): Promise<void>;
}

/**
 * Connections through a proxy by CONNECT (RFC 9110, section 9.3.6). The proxy is told an address that
 * the guard has checked and never a name, which it would resolve again, perhaps to somewhere else.
 */
export function egressProxy({ proxy, lookup, tls, timeoutMs }: EgressProxyOptions): EgressProxy {
  const { origin, username, password } = new URL(proxy);
  const pool = new Pool(origin, { connect: { timeout: timeoutMs } });
  const secure = buildConnector({ ...tls, timeout: timeoutMs });
  const authorization = username === '' ? {} : basic(username, password);

  const tunnel = async (target: string): Promise<Socket> => {
    try {
      const { statusCode, socket } = await pool.connect({
        path: target,
        headers: { host: target, ...authorization },
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (statusCode === 200) return socket as Socket;
      socket.destroy();
      throw new Error(`The proxy answered ${statusCode}.`);
    } catch (cause) {
      throw new ProxyFailedError({ cause });
    }
  };

  const open = async ({ hostname, protocol, port }: buildConnector.Options) => {
    const { address, family } = await firstAddress(lookup, hostname);
    const host = family === 6 ? `[${address}]` : address;
    return tunnel(`${host}:${port || (protocol === 'https:' ? 443 : 80)}`);
  };

  return {
    connect(options, callback) {
      callbackify(open)(options, (error, socket) => {
        if (error) callback(error, null);
        else if (options.protocol === 'https:')
          secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      });
    },
    close: async () => pool.destroy(),
  };
}

const firstAddress = async (lookup: LookupFunction, hostname: string): Promise<LookupAddress> =>
  new Promise((resolve, reject) => {
    lookup(hostname, {}, (error, address, family) => {
      if (error) reject(error);
      else resolve({ address: address as string, family: family ?? 4 });
    });
  });

const basic = (username: string, password: string) => {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
};
