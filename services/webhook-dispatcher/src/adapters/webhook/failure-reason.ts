import { ProxyFailedError } from './egress-proxy.js';
import { DnsFailedError } from './guarded-lookup.js';

/** Any verdict of OpenSSL on a certificate, UNSPECIFIED among them, and on the handshake. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|ERROR_IN_CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|PATH_LENGTH_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|UNSPECIFIED|EPROTO)/;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  CERT_HAS_EXPIRED: 'tls_certificate_expired',
  CERT_NOT_YET_VALID: 'tls_certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_name_mismatch',
  HOSTNAME_MISMATCH: 'tls_name_mismatch',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_unknown_issuer',
  CERT_SIGNATURE_FAILURE: 'tls_unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_unknown_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_unknown_issuer',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_protocol_too_old',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls_protocol_too_old',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'tls_client_certificate_wanted',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_not_spoken',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_not_spoken',
};

const CAUSES_MAX = 5;

/** The receiver sends something that nobody can read as an answer. */
export class InvalidAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** The stable word for an attempt that got no complete response. */
export function failureReason(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && isObject(current); depth++) {
    if (current instanceof DnsFailedError) return 'dns_failed';
    if (current instanceof ProxyFailedError) return 'proxy_failed';
    if (current instanceof InvalidAnswerError) return 'invalid_response';
    const { name, code, cause, errors } = current;
    const reason = name === 'TimeoutError' ? 'timeout' : reasonOf(String(code));
    if (reason !== undefined) return reason;
    // Every address was tried: the first failure speaks for all.
    current = Array.isArray(errors) ? errors[0] : cause;
  }
  return 'failed';
}

function reasonOf(code: string): string | undefined {
  return REASONS[code] ?? (TLS_CODE.test(code) ? 'tls_failed' : undefined);
}

interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

const isObject = (value: unknown): value is ErrorLike =>
  typeof value === 'object' && value !== null;
