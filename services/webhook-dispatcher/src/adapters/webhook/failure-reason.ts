import { ProxyFailedError } from './egress-proxy.js';
import { DnsFailedError } from './guarded-lookup.js';

const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
};

const CAUSES_MAX = 5;

/** The stable word for an attempt that got no complete response. */
export function failureReason(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && isObject(current); depth++) {
    if (current instanceof DnsFailedError) return 'dns_failed';
    if (current instanceof ProxyFailedError) return 'proxy_failed';
    const { name, code, cause, errors } = current;
    const reason = name === 'TimeoutError' ? 'timeout' : reasonOf(String(code));
    if (reason !== undefined) return reason;
    // Every address was tried: the first failure speaks for all.
    current = Array.isArray(errors) ? errors[0] : cause;
  }
  return 'failed';
}

function reasonOf(code: string): string | undefined {
  if (TLS_CODE.test(code)) return 'tls_failed';
  return code.startsWith('HPE_') ? 'invalid_response' : REASONS[code];
}

interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

const isObject = (value: unknown): value is ErrorLike =>
  typeof value === 'object' && value !== null;
