/** The codes of an attempt that ended without an answer, or was never sent. */
const WORDS: Readonly<Record<string, string>> = {
  connection_refused: 'Nothing accepts connections at the address of the url.',
  connection_lost: 'The connection was lost before an answer had come.',
  unreachable: 'The network of the receiver could not be reached.',
  connect_timeout: 'The receiver did not accept the connection in time.',
  timeout:
    'The receiver did not answer completely in time. It should answer at once and do the work afterwards.',
  invalid_response: 'The answer is not HTTP.',
  dns_failed: 'The name of the receiver could not be resolved.',
  proxy_failed: 'The egress proxy of this installation opened no connection to the receiver.',
  tls_certificate_expired: 'The certificate of the receiver has expired. Renew it.',
  tls_certificate_not_yet_valid:
    'The certificate of the receiver is not valid yet. Check its dates, and the clock of its issuer.',
  tls_name_mismatch:
    'The certificate of the receiver is made for another name than that of the url. Issue one for this name.',
  tls_self_signed:
    'The receiver has signed its certificate itself. Use one of a public certificate authority.',
  tls_unknown_issuer:
    'The certificate of the receiver comes from an authority that is not known here, or its intermediate certificates are not sent with it.',
  tls_protocol_too_old: 'The receiver speaks no TLS version from 1.2 on. Switch on TLS 1.2 or 1.3.',
  tls_client_certificate_wanted:
    'The receiver wants a client certificate, and webhooks carry none. Check the signature of the request instead.',
  tls_not_spoken:
    'The server at the address of the url does not speak TLS. Check the port, and whether it serves https.',
  tls_failed:
    'No secure connection could be made. Check the certificate of the receiver: its names, its dates and its chain.',
  url_invalid: 'Nothing was sent: the url is not valid.',
  url_not_https: 'Nothing was sent: the url must begin with https://.',
  url_has_credentials: 'Nothing was sent: the url must not contain a user name or password.',
  url_has_fragment: 'Nothing was sent: the url must not contain a fragment.',
  url_is_address: 'Nothing was sent: the url must name a host, not an address.',
  url_too_long: 'Nothing was sent: the url is too long.',
  url_port_refused: 'Nothing was sent: the port of the url belongs to another protocol.',
  url_private_address:
    'Nothing was sent: the url leads to a private, local or otherwise special address.',
  url_private_host: 'Nothing was sent: the url must name a host on the public internet.',
};

/** Says in words why an attempt did not succeed; null for a success. */
export function failureWords(result: string): string | null {
  if (result === 'succeeded') return null;
  const status = /^http_(\d{3})$/.exec(result)?.[1];
  if (status !== undefined) return answerWords(status);
  const known = Object.hasOwn(WORDS, result) ? WORDS[result] : undefined;
  return known ?? `The attempt failed (${result}).`;
}

function answerWords(status: string): string {
  if (status === '410') return 'The receiver answered 410 Gone, which disables the webhook.';
  const answered = `The receiver answered with HTTP ${status}`;
  return status.startsWith('3')
    ? `${answered}. Redirects are not followed: configure the url that it points to.`
    : `${answered}. Only 2xx is success.`;
}
