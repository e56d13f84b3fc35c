import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { InexactNumber, isInUtf8, mayBeInexact, parseExactly } from '@junction/contracts';
import { AppError } from '@junction/errors';
import express, { type Request, type RequestHandler } from 'express';
import { fieldAt, notValid } from './text-faults.js';

const JSON_BYTES_MAX = 256 * 1_024;
const FORM_BYTES_MAX = 16 * 1_024;
const SECURITY_EVENT_BYTES_MAX = 64 * 1_024;
const FORM_PARAMETERS_MAX = 50;
/** Far beyond what any of our schemas has. Whatever walks deeper recursively runs out of stack. */
const NESTING_MAX = 64;

/** Bodies in which a number may be one that no double holds. */
const largeNumbers = new WeakMap<IncomingMessage, string>();

const JSON_TYPE = 'application/json';
/** Media type in which a PATCH describes its changes (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json';
/** Media type of changes in another form (RFC 6902), which would read as a list. */
const JSON_PATCH = 'application/json-patch+json';

/**
 * Reads a JSON body of at most 256 KB into `req.body`, whatever media type is written in JSON (RFC 6839, section 3.1);
 * that of a PATCH may be a merge patch. No body reads as `{}`, so that a schema can name what is missing. Other content
 * types and charsets 415, larger bodies 413, malformed and endlessly nested ones 400, those that are no object, and
 * those with a number that would be read as another one.
 */
export const jsonBody: RequestHandler = bodyReader(
  JSON_TYPE,
  express.json({
    limit: JSON_BYTES_MAX,
    inflate: false,
    // The parser would call null and texts malformed, which they are not.
    strict: false,
    type: () => true,
    verify(req, res, body) {
      beUtf8(req, res, body);
      const text = body.toString();
      if (mayBeInexact(text)) largeNumbers.set(req, text);
    },
  }),
);

/** The same for the one endpoint whose standard asks for a form (RFC 6749 §4.4.2). At most 16 KB. */
export const formBody: RequestHandler = bodyReader(
  'application/x-www-form-urlencoded',
  express.urlencoded({
    extended: false,
    limit: FORM_BYTES_MAX,
    parameterLimit: FORM_PARAMETERS_MAX,
    inflate: false,
    type: () => true,
    verify: beUtf8,
  }),
);

/** The same for a pushed security event token (RFC 8935, section 2.1), read as text. At most 64 KB. */
export const securityEventBody: RequestHandler = bodyReader(
  'application/secevent+jwt',
  express.text({
    limit: SECURITY_EVENT_BYTES_MAX,
    inflate: false,
    type: () => true,
    verify: beUtf8,
  }),
);

/** Tells whether the body is declared as JSON. */
export const isJson = (req: Request): boolean => req.is([JSON_TYPE, '+json']) !== false;

/** Tells whether a request has a body. Browsers send Content-Length: 0 with an empty POST, which is no body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'transfer-encoding': chunked, 'content-length': length = '0' } = headers;
  return chunked !== undefined || length !== '0';
}

/**
 * Refuses bodies that are not UTF-8. The parser reads bytes that are none as U+FFFD: another text than was sent, for
 * instance another secret.
 */
function beUtf8(_req: unknown, _res: unknown, body: Buffer): void {
  if (isUtf8(body)) return;
  throw Object.assign(new Error('The body is not UTF-8.'), { type: 'entity.parse.failed' });
}

function bodyReader(contentType: string, read: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (!hasBody(req)) {
      req.body = {};
      next();
      return;
    }
    const { method, headers } = req;
    const declared = headers['content-type'] ?? '';
    const types =
      contentType === JSON_TYPE && method === 'PATCH' ? [JSON_TYPE, MERGE_PATCH] : [contentType];
    if (!isOf(contentType, req) || !isInUtf8(declared)) {
      // RFC 5789, section 3.1.
      if (method === 'PATCH') res.set('accept-patch', types.join(', '));
      throw unsupported(types);
    }
    // The parsers know UTF-8 by one of its names, and without any.
    headers['content-type'] = declared.replace(/;.*/s, '');
    read(req, res, (cause?: unknown) => {
      if (cause) next(bodyError(cause, contentType));
      else next(contentType === JSON_TYPE && !isObject(req.body) ? noObject() : bodyProblem(req));
    });
  };
}

const isOf = (contentType: string, req: Request): boolean =>
  contentType === JSON_TYPE
    ? isJson(req) && !(req.method === 'PATCH' && req.is(JSON_PATCH))
    : req.is(contentType) !== false;

/** Tells objects and lists from other values. */
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isDeeperThan = (levels: number, value: unknown): boolean =>
  isObject(value) &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner)));

function bodyProblem(req: Request): AppError | undefined {
  if (isDeeperThan(NESTING_MAX, req.body)) return nestedTooDeep();
  const text = largeNumbers.get(req);
  const path = text === undefined ? undefined : pathOfInexact(parseExactly(text));
  return path && inexactNumber(path);
}

/** Returns the path of the first number in a value that no double holds. The value is not deep. */
function pathOfInexact(value: unknown): readonly string[] | undefined {
  if (value instanceof InexactNumber) return [];
  if (!isObject(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const path = pathOfInexact(inner);
    if (path) return [name, ...path];
  }
  return undefined;
}

function inexactNumber(path: readonly string[]): AppError {
  const message =
    'A double (IEEE 754) does not hold this number as it is written. Send one with fewer digits, or a text.';
  return invalid(path, 'number_inexact', message);
}

/** In the words that a schema has for a list. */
const noObject = (): AppError => invalid([], 'invalid_type', 'must be an object.');

function invalid(path: readonly string[], code: string, message: string): AppError {
  return notValid([{ field: fieldAt(path), code, message }]);
}

const nestedTooDeep = (): AppError =>
  new AppError('nested_too_deep', `The body is nested deeper than ${NESTING_MAX} levels.`);

/**
 * Converts an error of the parser. http-errors names its reason in `type`; the status alone cannot tell our limit from
 * a broken upload.
 */
function bodyError(cause: unknown, contentType: string): AppError {
  const { type } = cause as { type?: unknown };
  switch (type) {
    case 'entity.too.large':
    case 'parameters.too.many':
      return new AppError('body_too_large', 'The body is larger than allowed.', { cause });
    case 'encoding.unsupported':
      return unsupported([contentType], cause);
    case 'entity.parse.failed':
      return new AppError('malformed_body', `The body is not valid ${contentType}.`);
    case 'request.aborted':
    case 'request.size.invalid':
      return new AppError('incomplete_body', 'The body ended early.', { cause });
    default:
      return new AppError('unreadable_body', 'The body cannot be read.', { cause });
  }
}

const unsupported = (types: readonly string[], cause?: unknown): AppError =>
  new AppError(
    'unsupported_media_type',
    `Send the body as ${types.join(' or ')} in UTF-8, uncompressed.`,
    { cause },
  );
