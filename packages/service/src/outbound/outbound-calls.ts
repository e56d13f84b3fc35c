import type { Fetch } from '@junction/async';
import { type BodyInit, EnvHttpProxyAgent, fetch as fetchBy, Pool } from 'undici';
import { connector } from './connector.js';

/** Longest time for a connection, as documented for webhooks; the calls have deadlines of their own. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Most bytes of an answer's headers: what a provider says once, such as tokens for a code, must not be lost. */
const HEADERS_BYTES_MAX = 64 * 1_024;

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly httpProxy?: string | undefined;
  /** Proxy for https://. Absent: `httpProxy` serves https:// too. */
  readonly httpsProxy?: string | undefined;
  /** Hosts, with the names below them, that are called directly, comma-separated; `*`: all. */
  readonly noProxy?: string | undefined;
}

/** Calls to servers that operators have named: identity providers and trusted issuers. */
export interface OutboundCalls {
  /** Answers are as long as their server makes them: callers read them by `boundedFetch`. */
  readonly fetch: Fetch;
  close(): Promise<void>;
}

/**
 * Creates a fetch by undici, which connects to all addresses of a host by RFC 8305, or through a proxy by CONNECT.
 * `answered` is called with the host and port of each answer, and when it was asked for.
 */
export function outboundCalls(
  proxies: ProxySettings,
  answered: (server: string, askedMs: number) => void = () => undefined,
): OutboundCalls {
  const connect = connector({ timeoutMs: CONNECT_TIMEOUT_MS });
  const dispatcher = new EnvHttpProxyAgent({
    ...explicit(proxies),
    connect,
    maxHeaderSize: HEADERS_BYTES_MAX,
    clientFactory: (origin, options) => new Pool(origin, { ...options, connect }),
  });
  return {
    // Requests, and forms with files, are types of Node's undici and not of this package. No caller passes them.
    fetch: async (url, { body = null, headers, ...init } = {}) => {
      const askedMs = performance.now();
      const answer = await fetchBy(url as string | URL, {
        ...init,
        headers: [...new Headers(headers)],
        body: body as BodyInit,
        dispatcher,
      });
      answered(new URL(url).host, askedMs);
      return answer;
    },
    close: async () => dispatcher.destroy(),
  };
}

/** A proxy would look for this machine where it stands itself. */
const THIS_MACHINE = 'localhost,127.0.0.1,[::1]';

/** Returns a text for every setting: undici would read a variable of the process for a setting that is undefined. */
const explicit = ({ httpProxy = '', httpsProxy = '', noProxy = '' }: ProxySettings) => ({
  httpProxy,
  httpsProxy,
  noProxy: noProxy === '*' ? noProxy : `${noProxy},${THIS_MACHINE}`,
});
