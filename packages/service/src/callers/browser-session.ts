import type { IncomingMessage } from 'node:http';
import { AppError } from '@junction/errors';
import type { Request, RequestHandler } from 'express';
import { hasBody, isJson } from '../http/body.js';

/**
 * Holds the access token of a browser session. Browsers take a `__Host-` cookie only from this very
 * host, with Secure and Path=/ (RFC 6265bis §4.1.3.2), so no neighbouring subdomain can set one.
 */
export const ACCESS_COOKIE = '__Host-jn_at';

/** Changes nothing, so another site gains nothing by making a browser ask (RFC 9110 §9.2.1). */
const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Returns every value of a cookie, in the order of the header. Several values mean that two parties set the cookie; the
 * libraries that read cookies take one of them without a word, so none of these libraries is used. Node ends the
 * headers of a request at 16 KB, which bounds the number of values.
 */
export const cookieValues = ({ headers }: IncomingMessage, name: string): readonly string[] =>
  (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));

/** Returns the value of a cookie that came once. AppError `ambiguous_cookie` when it came twice. */
export function cookieOf(req: IncomingMessage, name: string): string | undefined {
  const [value, ...others] = cookieValues(req, name);
  if (others.length === 0) return value;
  throw new AppError(
    'ambiguous_cookie',
    `The request carries the cookie ${name} more than once. Delete the site's cookies and sign in again.`,
  );
}

/** Throws unless a page of ours asks; see `csrfCheck`. */
export type CsrfCheck = (req: Request) => void;

/**
 * Refuses requests of other sites that make a browser act with its cookies (CSRF). A request that changes something
 * must come from our own origin as the browser itself says (Sec-Fetch-Site, or Origin when a browser does not send it),
 * with a header and a content type that no form of another site can send. AppError `csrf_check_failed` names all that
 * is missing. `publicUrl`: the URL at which browsers reach us.
 */
export function csrfCheck(publicUrl: string): CsrfCheck {
  const { origin } = new URL(publicUrl);
  return (req) => {
    if (SAFE_METHODS.includes(req.method)) return;
    const missing = [
      !isSameOrigin(req, origin) && `Sec-Fetch-Site: same-origin, or without it Origin: ${origin}`,
      req.headers['x-junction-csrf'] !== '1' && 'X-Junction-CSRF: 1',
      hasBody(req) && !isJson(req) && 'Content-Type: application/json',
    ].filter((header) => header !== false);
    if (missing.length === 0) return;
    throw new AppError(
      'csrf_check_failed',
      `With the cookies of a browser session this request must come from our own pages. Missing: ${missing.join('; ')}.`,
    );
  };
}

/** Applies the same check on routes that set or read the session's cookies before there is a caller. */
export function sameOriginOnly(publicUrl: string): RequestHandler {
  const check = csrfCheck(publicUrl);
  return (req, _res, next) => {
    check(req);
    next();
  };
}

/**
 * Tells whether a request comes from our origin. No page can set either header: browsers keep both names to themselves.
 */
const isSameOrigin = ({ headers }: Request, origin: string): boolean =>
  headers['sec-fetch-site'] === undefined
    ? headers.origin === origin
    : headers['sec-fetch-site'] === 'same-origin';
