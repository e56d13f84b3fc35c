/** Words for the dispatcher's stable codes: the result of an attempt, or the reason why a delivery ended. */
export interface ResultWords {
  /** Fits a table's cell. */
  readonly short: string;
  /** Explanation of what happened, and of what the webhook's owner can do. */
  readonly long: string;
  /** The advice of `long` alone, shown where the receiver's answer already says what happened. */
  readonly advice?: string;
}

const WORDS: Readonly<Record<string, ResultWords>> = {
  succeeded: { short: 'Accepted', long: 'The receiver accepted it.' },
  dns_failed: {
    short: 'Name not found',
    long: 'The name of the receiver could not be resolved (DNS). Check the address for a typing error, and that its DNS record is there.',
  },
  proxy_failed: {
    short: 'Egress proxy failed',
    long: 'The proxy through which this installation reaches receivers opened no connection. It is tried again.',
  },
  connection_refused: {
    short: 'Connection refused',
    long: 'Nothing accepts connections at this address and port. Is the receiver running?',
  },
  connection_lost: {
    short: 'Connection lost',
    long: 'The connection broke before a response had come. The receiver may have crashed, restarted or closed it.',
  },
  unreachable: {
    short: 'Unreachable',
    long: 'There is no network route to this address.',
  },
  connect_timeout: {
    short: 'No connection in time',
    long: 'The receiver did not accept the connection within 5 seconds. A firewall that drops packets looks like this.',
  },
  timeout: {
    short: 'No answer in time',
    long: 'The receiver took too long to answer. Let it answer 200 at once and do the work afterwards.',
  },
  tls_certificate_expired: {
    short: 'Certificate expired',
    long: 'The certificate of the receiver has expired. Renew it.',
  },
  tls_certificate_not_yet_valid: {
    short: 'Certificate not yet valid',
    long: 'The certificate of the receiver is valid from a later time on. Check its dates.',
  },
  tls_name_mismatch: {
    short: 'Certificate of another name',
    long: 'The certificate of the receiver is made for another name than the one in the address. Issue one for this name.',
  },
  tls_self_signed: {
    short: 'Self-signed certificate',
    long: 'The receiver has signed its certificate itself. Use one of a public certificate authority.',
  },
  tls_unknown_issuer: {
    short: 'Unknown certificate authority',
    long: 'The certificate comes from an authority that is not known here, or is sent without its intermediates.',
  },
  tls_protocol_too_old: {
    short: 'TLS too old',
    long: 'The receiver speaks no TLS version from 1.2 on. Switch on TLS 1.2 or 1.3.',
  },
  tls_client_certificate_wanted: {
    short: 'Client certificate wanted',
    long: 'The receiver wants a client certificate, and webhooks carry none. Check the signature of the request instead.',
  },
  tls_not_spoken: {
    short: 'No TLS',
    long: 'The server at this address does not speak TLS. Check the port, and whether it serves https.',
  },
  tls_failed: {
    short: 'TLS failed',
    long: 'No secure connection could be made. Check that the certificate is valid, is made for this name, and is sent with its intermediates.',
  },
  invalid_response: {
    short: 'Answer not understood',
    long: 'The response is not HTTP.',
  },
  failed: {
    short: 'Failed',
    long: 'The attempt failed for an unknown reason.',
  },
  gone_410: {
    short: '410 Gone',
    long: 'The receiver answered 410 Gone, which asks us not to send there again. This webhook was disabled.',
  },
  webhook_disabled: {
    short: 'Webhook disabled',
    long: 'The webhook was disabled.',
  },
  webhook_deleted: {
    short: 'Webhook deleted',
    long: 'The webhook was deleted.',
  },
  result_not_stored: {
    short: 'Not recorded',
    long: 'The result of the last attempt could not be stored, by a fault of this installation. Ask its operators, and send the delivery again.',
  },
  url_private_address: {
    short: 'Private address',
    long: 'The address leads to a private, local or otherwise special network, where webhooks must not go. Use one on the public internet.',
  },
  url_private_host: {
    short: 'Private host',
    long: 'The host is not on the public internet.',
  },
  url_not_https: { short: 'Not HTTPS', long: 'The address must begin with https://.' },
  url_has_credentials: {
    short: 'Credentials in the URL',
    long: 'The address must not contain a user name or password.',
  },
  url_has_fragment: { short: 'Fragment in URL', long: 'The address must not contain a fragment.' },
  url_is_address: { short: 'Not a name', long: 'The address must name a host, not an IP address.' },
  url_port_refused: {
    short: 'Port refused',
    long: 'The port of the address belongs to another protocol than HTTPS. Webhooks do not go there.',
  },
  url_too_long: { short: 'URL too long', long: 'The address has more than 2048 characters.' },
  url_invalid: { short: 'URL invalid', long: 'The address is not an absolute https:// URL.' },
};

const STATUS_NAMES: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  425: 'Too Early',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** `500 Internal Server Error` (RFC 9110, section 15); the number alone where it has no name. */
export const httpStatus = (status: number): string =>
  [status, STATUS_NAMES[status]].filter(Boolean).join(' ');

export function resultWords(code: string): ResultWords {
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  if (status !== undefined) return answered(Number(status));
  const known = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return known ?? { short: code, long: `It ended with “${code}”.` };
}

function answered(status: number): ResultWords {
  const short = httpStatus(status);
  const advice = adviceFor(status);
  return { short, long: `The receiver answered ${short}. ${advice}`, advice };
}

function adviceFor(status: number): string {
  if (status === 410) return 'It asks us not to send there again.';
  if (status === 429) return 'It asks for fewer requests. A Retry-After is obeyed.';
  if (status === 503) return 'It was not available. A Retry-After is obeyed.';
  if (status === 401 || status === 403) {
    return 'Check that the receiver has the same secret as this webhook, or none if this has none.';
  }
  if (status >= 500) return 'The logs of the receiver say why.';
  if (status >= 300 && status < 400) {
    return 'Redirects are not followed: use the address that they lead to.';
  }
  return 'Only 2xx counts as accepted.';
}
