/** A problem that a gateway answers by itself, in the words of the services (RFC 9457). */
export interface GatewayProblem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
}

export const GATEWAY_PROBLEMS = {
  invalidRequest: {
    status: 400,
    code: 'invalid_request',
    title: 'Invalid request',
    detail: 'Send a valid path and valid headers.',
  },
  noSuchRoute: {
    status: 404,
    code: 'no_such_route',
    title: 'Not found',
    detail: 'There is no such resource.',
  },
  bodyTooLarge: {
    status: 413,
    code: 'body_too_large',
    title: 'Too large',
    detail: 'The body is larger than allowed.',
  },
  addressTooLong: {
    status: 414,
    code: 'address_too_long',
    title: 'Address too long',
    detail: 'The address of the request is too long: the server takes 32 KiB.',
  },
  headersTooLarge: {
    status: 431,
    code: 'headers_too_large',
    title: 'Headers too large',
    detail:
      'The headers of the request are too long: the server takes 32 KiB in one and 64 KiB in all. A browser sends too many cookies, also those of the parent domain: delete the cookies of this site and of that domain, then load the page again.',
  },
  unavailable: {
    status: 503,
    code: 'upstream_unavailable',
    title: 'Temporarily unavailable',
    detail: 'The service behind this path does not answer. Try again in a moment.',
  },
} as const satisfies Record<string, GatewayProblem>;

/** Seconds after which a caller may try again when a service did not answer. */
export const RETRY_AFTER_S = 1;

export const problemBody = ({ status, code, title, detail }: GatewayProblem, requestId: string) =>
  JSON.stringify({
    type: `/docs/errors#${code}`,
    title,
    status,
    detail,
    code,
    request_id: requestId,
  });
